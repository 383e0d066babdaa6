import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { signedRecipesFor } from '../../lib/pages/site/signed-recipes.ts';
import { type ClientFixture, clientFixture, schemes } from './fixtures/client-fixture.ts';
import { documentedExample, documentedOutput } from './fixtures/documented-example.ts';
import { findPythonClient } from './fixtures/python-clients.ts';
import { bucket } from './fixtures/transfers.ts';

const page = 'python.md';
const sentence = /The repository does not exist or these credentials do not allow this/;

/**
 * Python libraries, each with the folder that its example writes to and its message for a repository without a grant.
 */
const libraries: [heading: string, folder: string, refusal: RegExp][] = [
  ['pyarrow', 'arrow', sentence],
  ['pandas', 'pandas', sentence],
  ['geopandas', 'geopandas', sentence],
  ['polars', 'polars', sentence],
  ['obstore', 'obstore', sentence],
  ['s3fs', 's3fs', sentence],
  ['smart_open', 'smart_open', sentence],
  ['deltalake', 'delta', sentence],
  // PyIceberg begins with a HEAD request, whose response has no message.
  ['PyIceberg', 'iceberg', /PermissionError: Forbidden/],
  ['zarr', 'zarr', sentence],
  ['icechunk', 'icechunk', sentence],
  ['TileDB', 'tiledb', sentence],
  ['rasterio', 'rasterio', sentence],
];

/**
 * Exit immediately after all output, because a thread of pyarrow may abort Python at the end (apache/arrow, issue
 * 39162).
 */
const leave = '\nimport os, sys\nsys.stdout.flush()\nos._exit(0)';

/** Environment variables for libraries that ignore the common ones. */
const trustSettings = (file: string) => ({ GDAL_CURL_CA_BUNDLE: file, TILEDB_SSL_CA_FILE: file });

const clients = libraries.map(
  ([heading, ...rest]) => [findPythonClient(heading.toLowerCase(), 'tools'), heading, ...rest] as const,
);

describe.each(schemes)('over %s,', { timeout: 120_000 }, (scheme) => {
  const fixture = clientFixture(scheme, { withDataSet: true });
  const env = () => ({
    ...fixture.settings,
    ...(scheme === 'http' ? { AWS_ALLOW_HTTP: 'true' } : trustSettings(fixture.trust['CURL_CA_BUNDLE'] ?? '')),
    PYTHONWARNINGS: 'ignore',
  });

  describe.each(clients.map(([client, ...rest]) => [client.title, client, ...rest] as const))(
    '%s',
    (_, client, heading, folder, refusal) => {
      test.skipIf(client.isMissing)('runs its example with the five settings', async () => {
        const code = documentedExample(page, heading, 'python', fixture.dataUrl);
        expect(documentedOutput(code)).not.toBe('');
        expect(await client.run(['-c', code + leave], env())).toBe(documentedOutput(code));
        expect(await storedBelow(fixture, `raw-drafts/${folder}/`)).toBeGreaterThan(0);
      });

      test.skipIf(client.isMissing)('reports the refusal of a repository without a grant', async () => {
        const code = documentedExample(page, heading, 'python', fixture.dataUrl).replaceAll(
          'raw-drafts',
          'not-granted',
        );
        await expect(client.run(['-c', code], env())).rejects.toThrow(refusal);
      });
    },
  );

  const icechunk = findPythonClient('icechunk', 'tools');
  test.skipIf(icechunk.isMissing)('icechunk opens a store with the commands of its page', async () => {
    await icechunk.run(['-c', documentedExample(page, 'icechunk', 'python', fixture.dataUrl) + leave], env());
    const repository = { account_id: bucket, repository_id: 'raw-drafts' };
    const [recipe] = signedRecipesFor(fixture.dataUrl, repository, 'icechunk/heights/', { isIcechunk: true });
    expect(await icechunk.run(['-c', recipe?.commands + leave], env())).toMatch(/Type +: Group/);
  });

  const anyOf = findPythonClient('polars', 'tools');
  test.skipIf(anyOf.isMissing)('polars, s3fs, pyarrow and obstore read open data with no settings', async () => {
    const code = documentedExample(page, 'Open data', 'python', fixture.dataUrl);
    expect(await anyOf.run(['-c', code + leave], fixture.trust)).toBe(documentedOutput(code));
  });

  // The libraries that refuse to send the key over HTTP.
  test.skipIf(anyOf.isMissing).each([
    ['polars without boto3', 'pl.read_csv("s3://tide-institute/raw-drafts/x.csv", credential_provider=None)'],
    ['obstore without a credential provider', 'S3Store("tide-institute").get("raw-drafts/x.csv")'],
  ])('%s cannot use the five settings, because it would send the key in the URL', async (_, expression) => {
    const asked = fixture.service.tableRequests.length;
    const code = `import polars as pl; from obstore.store import S3Store; ${expression}`;
    const said = scheme === 'http' ? /builder error/ : /API key must be sent in the request body, not the URL/;
    await expect(anyOf.run(['-c', code], env())).rejects.toThrow(said);
    expect(fixture.service.tableRequests.length).toBe(asked);
  });

  test.skipIf(anyOf.isMissing)(
    'pandas without a filesystem writes Parquet with pyarrow, which sends unsigned requests',
    async () => {
      const code = `import os, pandas as pd
try:
    pd.DataFrame({"a": [1]}).to_parquet("s3://tide-institute/raw-drafts/x.parquet")
except OSError as error:
    print(error, flush=True)
    os._exit(0)`;
      expect(await anyOf.run(['-c', code], env())).toMatch(
        /ACCESS_DENIED during CreateMultipartUpload operation: This request needs credentials/,
      );
    },
  );

  test.skipIf(anyOf.isMissing)('pyarrow with the five settings and its endpoint sends unsigned requests', async () => {
    // The program would not end by itself. Without a signature, it waits for an upload that never started.
    const code = `import os; from pyarrow import fs
s3 = fs.S3FileSystem(endpoint_override=os.environ["AWS_ENDPOINT_URL_S3"])
try:
    s3.open_output_stream("tide-institute/raw-drafts/x.bin").close()
except OSError as error:
    print(error, flush=True)
    os._exit(0)`;
    const said = await anyOf.run(['-c', code], { ...env(), AWS_EC2_METADATA_DISABLED: 'true' });
    expect(said).toMatch(/ACCESS_DENIED during CreateMultipartUpload operation: This request needs credentials/);
  });
});

async function storedBelow({ storage }: ClientFixture, prefix: string): Promise<number> {
  const place = { Bucket: storage.bucket, Prefix: `${bucket}/${prefix}` };
  return (await storage.client.send(new ListObjectsV2Command(place))).KeyCount ?? 0;
}
