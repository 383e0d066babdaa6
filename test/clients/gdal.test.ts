import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ClientFixture, clientFixture, schemes } from './fixtures/client-fixture.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

/** GDAL through its Python bindings. Each call is one call of the library. */
const gdal = findClient('GDAL', ['/usr/bin/python3', '-c'], {
  versionArgs: ['from osgeo import gdal; print(gdal.__version__)'],
});
const tools = ['gdal_create', 'gdal_translate', 'gdalinfo'].map((name) => findClient(name, [name])) as [
  create: ReturnType<typeof findClient>,
  translate: ReturnType<typeof findClient>,
  info: ReturnType<typeof findClient>,
];

const program = `
import json, sys
from osgeo import gdal
gdal.UseExceptions()
[step, *args] = sys.argv[1:]

def at(key):
    return "/vsis3/${bucket}/" + key

def upload(file, key):
    with open(file, "rb") as source:
        target = gdal.VSIFOpenL(at(key), "wb")
        while block := source.read(1 << 20):
            assert gdal.VSIFWriteL(block, 1, len(block), target) == len(block)
    assert gdal.VSIFCloseL(target) == 0

def read(key, first, count, file):
    source = gdal.VSIFOpenL(at(key), "rb")
    gdal.VSIFSeekL(source, int(first), 0)
    with open(file, "wb") as target:
        target.write(gdal.VSIFReadL(1, int(count), source))

def keys(prefix):
    found = [prefix + name for name in gdal.ReadDirRecursive(at(prefix))]
    return [key for key in found if not key.endswith("/")]

def remove(key):
    assert gdal.Unlink(at(key)) == 0

steps = {
    "upload": upload,
    "download": lambda key, file: gdal.Sync(at(key), file),
    "range": read,
    "list": keys,
    "copy": lambda source, to: gdal.Sync(at(source), at(to)),
    "remove": remove,
    "sync_up": lambda folder, prefix: gdal.Sync(folder + "/", at(prefix.rstrip("/"))),
    "sync_down": lambda prefix, folder: gdal.Sync(at(prefix), folder),
}
print(json.dumps(steps[step](*args)))
`;

/** Fixed credentials, and the options for GDAL to use an endpoint. */
function settings({ dataUrl, fixedSettings }: ClientFixture): Record<string, string> {
  const { host, protocol } = new URL(dataUrl);
  return {
    ...fixedSettings,
    ...alone,
    AWS_S3_ENDPOINT: host,
    AWS_HTTPS: protocol === 'https:' ? 'YES' : 'NO',
    AWS_VIRTUAL_HOSTING: 'FALSE',
    // Size in MB.
    VSIS3_CHUNK_SIZE: '5',
  };
}

/** Prevents GDAL from requesting credentials from cloud metadata URLs. */
const alone = { CPL_AWS_AUTODETECT_EC2: 'NO', GDAL_PAM_ENABLED: 'NO', PYTHONUTF8: '1' };

async function run(fixture: ClientFixture, ...args: string[]): Promise<unknown> {
  return JSON.parse(await gdal.run([program, ...args], settings(fixture)));
}

describeTransfers(gdal, {
  partsOfLarge: 3,
  upload: (fixture, file, key) => run(fixture, 'upload', file, key),
  download: (fixture, key, file) => run(fixture, 'download', key, file),
  readRange: async (fixture, key, first, last) => {
    const file = path.join(fixture.folder, 'range');
    await run(fixture, 'range', key, String(first), String(last - first + 1), file);
    return readFile(file);
  },
  list: async (fixture, prefix) => (await run(fixture, 'list', prefix)) as string[],
  copy: (fixture, from, to) => run(fixture, 'copy', from, to),
  remove: (fixture, key) => run(fixture, 'remove', key),
  syncUp: (fixture, folder, prefix) => run(fixture, 'sync_up', folder, prefix),
  syncDown: (fixture, prefix, folder) => run(fixture, 'sync_down', prefix, folder),
});

const [create, translate, info] = tools;

describe.skipIf(info.isMissing).each(schemes)(`${info.title} over %s`, { timeout: 120_000 }, (scheme) => {
  const fixture = clientFixture(scheme);
  beforeAll(async () => {
    const raster = path.join(fixture.folder, 'tides.tif');
    const size = ['-outsize', '600', '400', '-bands', '1', '-burn', '7'];
    await create.run(['-q', '-of', 'GTiff', ...size, raster], alone);
    // GDAL writes a raster at several positions before it is complete, which objects do not support.
    const env = { ...settings(fixture), CPL_VSIL_USE_TEMP_FILE_FOR_RANDOM_WRITE: 'YES' };
    for (const repository of ['tide-gauges', 'raw-drafts']) {
      await translate.run(['-q', '-of', 'COG', raster, `/vsis3/${bucket}/${repository}/tides.tif`], env);
    }
  });
  const checksum = (file: string, env: Record<string, string>) => info.run(['-checksum', file], env);

  test('reads a raster with fixed credentials', async () => {
    expect(await checksum(`/vsis3/${bucket}/raw-drafts/tides.tif`, settings(fixture))).toMatch(
      /Size is 600, 400[\s\S]*Checksum=/,
    );
  });

  test('reads an open raster without credentials, as an S3 object and over HTTP', async () => {
    const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...open } = settings(fixture);
    const anyone = { ...open, AWS_NO_SIGN_REQUEST: 'YES' };
    expect(await checksum(`/vsis3/${bucket}/tide-gauges/tides.tif`, anyone)).toContain('Checksum=');
    const url = `${fixture.dataUrl}/${bucket}/tide-gauges/tides.tif`;
    expect(await checksum(`/vsicurl/${url}`, { ...fixture.trust, ...alone })).toContain('Checksum=');
    await expect(checksum(`/vsis3/${bucket}/raw-drafts/tides.tif`, anyone)).rejects.toThrow('unable to open');
  });

  describe('with the settings of sign-in by key', () => {
    const file = `/vsis3/${bucket}/raw-drafts/tides.tif`;
    const ownExchange = () => {
      const { AWS_S3_ENDPOINT = '', AWS_HTTPS = '', AWS_VIRTUAL_HOSTING = '' } = settings(fixture);
      const endpoint = { AWS_S3_ENDPOINT, AWS_HTTPS, AWS_VIRTUAL_HOSTING };
      return { ...fixture.settings, ...alone, ...endpoint, CPL_AWS_STS_ROOT_URL: `${fixture.dataUrl}/.sts` };
    };

    test('puts the key into the URL, which the exchange refuses without a read of the table', async () => {
      const asked = fixture.service.tableRequests.length;
      await expect(checksum(file, { ...ownExchange(), CPL_CURL_VERBOSE: 'YES' })).rejects.toMatchObject({
        stderr: expect.toSatisfy((said: Buffer) => {
          const lines = said.toString();
          return lines.includes('GET /.sts/?Action=AssumeRoleWithWebIdentity') && lines.includes('400 Bad Request');
        }),
      });
      expect(fixture.service.tableRequests.length).toBe(asked);
    });

    test('sends no key when CPL_AWS_WEB_IDENTITY_ENABLE is NO', async () => {
      await expect(
        checksum(file, { ...ownExchange(), CPL_AWS_WEB_IDENTITY_ENABLE: 'NO', CPL_CURL_VERBOSE: 'YES' }),
      ).rejects.toMatchObject({ stderr: expect.toSatisfy((said: Buffer) => !said.includes('.sts')) });
    });
  });
});
