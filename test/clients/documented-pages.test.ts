import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { environmentSettings, shellLines } from '../../lib/domain/service-accounts/client-settings.ts';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { type ClientFixture, clientFixture } from './fixtures/client-fixture.ts';
import { atUrls, type DocumentedBlock, documentedBlocks } from './fixtures/documented-example.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket } from './fixtures/transfers.ts';

const execute = promisify(execFile);

const missing = (...names: string[]) => names.some((name) => findClient(name, [name]).isMissing);
const hasAws = awsClis.some(readsEndpointSettings);
const hasBoto3 = existsSync('.clients/newest/bin/python3');
const hasRclone = !findClient('rclone', ['rclone'], { versionArgs: ['version'] }).isMissing;
const hasRestic = !findClient('restic', ['restic'], { versionArgs: ['version'] }).isMissing;
const has = {
  key: hasAws && hasRclone && !missing('jq', 'curl', 's3cmd'),
  server: hasAws && hasBoto3 && hasRclone && hasRestic && !missing('jq', 'curl'),
  job: hasAws && !missing('jq', 'curl'),
  gdal: hasBoto3 && !missing('gdal_translate', 'ogr2ogr'),
};

/** Runs all blocks of a page in one shell, in an empty folder, against a service as `npm start` creates it. */
describe('pages whose blocks build on each other', { timeout: 120_000 }, () => {
  const fixture = clientFixture('http', { withDataSet: true });

  /** Resolves with the output of a page's code blocks, and with functions that check their effects. */
  async function runPage(page: string, blocks = documentedBlocks(page)) {
    const folder = path.join(fixture.folder, page);
    await mkdir(path.join(folder, '.sluice'), { recursive: true });
    const { seeded, urls } = seededSettings(fixture);
    await writeFile(path.join(folder, '.sluice', 'env'), seeded);
    // The JavaScript examples import these packages.
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    const found = [path.resolve('.clients/newest/bin'), process.env['PATH']].join(':');
    const env = { PATH: found, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', CPL_AWS_AUTODETECT_EC2: 'NO' };
    const script = atUrls(blocks.map(asShell).join('\n'), urls);
    const { stdout } = await execute('sh', ['-eu', '-c', script], { cwd: folder, env });
    return { stdout, inFolder: (name: string) => readFile(path.join(folder, name), 'utf8') };
  }
  async function stored(prefix: string): Promise<string[]> {
    const place = { Bucket: fixture.storage.bucket, Prefix: `${bucket}/${prefix}` };
    const { Contents = [] } = await fixture.storage.client.send(new ListObjectsV2Command(place));
    return Contents.map(({ Key = '' }) => Key.slice(bucket.length + 1)).sort();
  }

  test.skipIf(!has.key)(
    'issue an API key, use it in aws, rclone, and s3cmd, share a link, and revoke the key',
    async () => {
      const { stdout, inFolder } = await runPage('a-user-with-an-api-key.md');
      expect(await stored('raw-drafts/gauges')).toEqual(['raw-drafts/gauges.csv', 'raw-drafts/gauges/2026.csv']);
      expect(stdout).toContain('s3://tide-institute/raw-drafts/gauges.csv');
      const [url = ''] = new RegExp(`^${fixture.dataUrl}/\\S+X-Amz-Signature=\\S+$`, 'm').exec(stdout) ?? [];
      const key = JSON.parse(await inFolder('key.json'));
      expect(url).toContain(key.access_key_id);
      expect(stdout).toContain('"disabled":true');
      // Shared links stop working with the key that signed them, which the page revoked.
      fixture.service.advance(61);
      expect((await fetch(url)).status).toBe(403);
    },
  );

  test.skipIf(!has.server)(
    'connect a server with boto3, the AWS CLI, JavaScript, rclone, and restic by a key in a file',
    async () => {
      const { stdout, inFolder } = await runPage('a-server.md');
      expect(await stored('raw-drafts/readings/')).toEqual(['raw-drafts/readings/2026-08-03.csv']);
      // The JavaScript block runs after the Python block and overwrites its object.
      const place = { Bucket: fixture.storage.bucket, Key: `${bucket}/raw-drafts/gauges.csv` };
      const { Body } = await fixture.storage.client.send(new GetObjectCommand(place));
      expect(await Body?.transformToString()).toBe('station,height');
      expect(await stored('raw-drafts/backup/config')).toHaveLength(1);
      expect(stdout).toContain('restoring <Snapshot');
      const keys = JSON.parse(await inFolder('keys.json'));
      expect(keys).toContainEqual(expect.objectContaining({ label: 'harbour server', state: 'active' }));
      expect(await inFolder('sluice.key')).toMatch(/^sck_\w+\n$/);
    },
  );

  test.skipIf(!has.job)('trust a workflow and sign in as a CI job', async () => {
    const blocks = documentedBlocks('a-ci-job.md').filter(({ language }) => language === 'sh');
    const { stdout, inFolder } = await runPage('a-ci-job.md', blocks);
    expect(stdout).toContain('"environment":"production"');
    expect((await inFolder('run.jwt')).split('.')).toHaveLength(3);
    expect(stdout).toContain('countries.csv');
    // No request was refused.
    expect(stdout).toMatch(/^null$/m);
  });

  test.skipIf(!has.gdal)(
    'read open data with GDAL, and write with credentials that are valid for an hour',
    async () => {
      const helper = documentedBlocks('a-server.md').filter(({ code }) => code.startsWith(credentialsFile));
      const shell = documentedBlocks('gdal-and-duckdb.md').filter(({ language }) => language === 'sh');
      const { stdout } = await runPage('gdal-and-duckdb.md', [...helper, ...shell]);
      expect(stdout.match(/^Feature Count: 177$/gm)).toHaveLength(2);
      expect(stdout).toMatch(/^Size is 360, 180$/m);
      expect(stdout).toContain('LAYOUT=COG');
      expect(await stored('raw-drafts/countries')).toEqual([
        'raw-drafts/countries.geojson',
        'raw-drafts/countries.tif',
      ]);
    },
  );
});

const credentialsFile = '# credentials.py\n';

/**
 * Converts a block to a part of a script. A block with a file name becomes that file. A block in another language goes
 * to its program.
 */
function asShell({ language, code }: DocumentedBlock): string {
  const given = `<<'END OF BLOCK'\n${code}END OF BLOCK\n`;
  if (code.startsWith(credentialsFile)) return `cat > credentials.py ${given}`;
  switch (language) {
    case 'sh':
      return code;
    case 'python':
      return `python3 - ${given}`;
    case 'js':
      return `${process.execPath} --input-type=module - ${given}`;
    default:
      throw new Error(`a block in ${language} cannot be run`);
  }
}

/** The contents of `.sluice/env` after `npm start`, and the URL of the service. */
function seededSettings({ service, dataUrl, keyFile }: ClientFixture) {
  const serviceAccount = { service_account_id: 'tide-institute--nightly-sync', data_proxy_url: dataUrl };
  const seeded = shellLines(environmentSettings(serviceAccount, keyFile));
  return { seeded, urls: { apiUrl: service.apiUrl, dataUrl, identityUrl: service.identity.url } };
}
