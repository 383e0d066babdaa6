import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'minio';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { doneInSilence, type SlowStorage, startSlowStorage } from '../data/slow-storage-fixture.ts';
import { awsClis } from './fixtures/aws-cli.ts';
import { findClient, type InstalledClient } from './fixtures/installed-client.ts';
import { boto3s } from './fixtures/python-clients.ts';

const rclone = findClient('rclone', ['rclone'], { versionArgs: ['version'] });
const s3cmd = findClient('s3cmd', ['s3cmd']);

const bucket = 'tide-institute';

type Upload = (file: string, key: string, folder: string) => Promise<unknown>;
let fixture: SlowStorage;
let folder: string;
let large: string;
let count = 0;

/** Clients that upload 6 MiB in parts of 5 MiB. */
const uploads: [InstalledClient, Upload][] = [
  ...awsClis.map((aws): [InstalledClient, Upload] => [
    aws,
    async (file, key, home) => {
      await writeFile(
        path.join(home, 'config'),
        '[default]\ns3 =\n  multipart_threshold = 5MB\n  multipart_chunksize = 5MB\n',
      );
      const env = { ...settings(), AWS_CONFIG_FILE: path.join(home, 'config') };
      return aws.run(['--endpoint-url', fixture.hastyUrl, 's3', 'cp', file, `s3://${bucket}/${key}`], env);
    },
  ]),
  ...boto3s.map((boto3): [InstalledClient, Upload] => [
    boto3,
    (file, key) =>
      boto3.run(
        [
          '-c',
          `import boto3, sys; from boto3.s3.transfer import TransferConfig
s3 = boto3.client("s3", endpoint_url=sys.argv[1])
parts = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)
s3.upload_file(sys.argv[2], "${bucket}", "${key}", Config=parts)`,
          fixture.hastyUrl,
          file,
        ],
        settings(),
      ),
  ]),
  [
    rclone,
    (file, key, home) =>
      rclone.run(['copyto', '--s3-upload-cutoff', '5Mi', file, `sluice:${bucket}/${key}`], {
        RCLONE_CONFIG: path.join(home, 'none.conf'),
        RCLONE_CONFIG_SLUICE_TYPE: 's3',
        RCLONE_CONFIG_SLUICE_PROVIDER: 'Other',
        RCLONE_CONFIG_SLUICE_ENDPOINT: fixture.hastyUrl,
        RCLONE_CONFIG_SLUICE_ENV_AUTH: 'true',
        ...settings(),
      }),
  ],
  [
    s3cmd,
    (file, key) => {
      const { host } = new URL(fixture.hastyUrl);
      const service = [`--host=${host}`, `--host-bucket=${host}`, '--no-ssl', '--multipart-chunk-size-mb=5'];
      return s3cmd.run(['--config=/dev/null', ...service, 'put', file, `s3://${bucket}/${key}`], settings());
    },
  ],
  [
    { title: 'minio for JavaScript (npm)', isMissing: false } as InstalledClient,
    (file, key) => {
      const { hostname, port } = new URL(fixture.hastyUrl);
      const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken } = fixture.credentials;
      const endpoint = { endPoint: hostname, port: Number(port), useSSL: false, partSize: 5 * 1024 * 1024 };
      return new Client({ ...endpoint, accessKey, secretKey, sessionToken }).fPutObject(bucket, key, file);
    },
  ],
];

function settings(): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = fixture.credentials;
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
  };
}

beforeAll(async () => {
  fixture = await startSlowStorage();
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-slow-'));
  large = 'tide'.repeat(1.5 * 1024 * 1024);
  await writeFile(path.join(folder, 'large.bin'), large);
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => fixture.reset());

describe.each(uploads.map(([client, upload]) => ({ ...client, upload })))(
  '$title',
  { timeout: 120_000 },
  ({ isMissing, upload }) => {
    test.skipIf(isMissing)('finishes an upload that the storage completes after the timeout of the edge', async () => {
      const key = `raw-drafts/${count++}.bin`;
      fixture.gate.acts = [doneInSilence];
      await upload(path.join(folder, 'large.bin'), key, folder);
      expect(fixture.gate.acts).toEqual([]);
      expect(fixture.failures).toContainEqual(expect.objectContaining({ code: 'unavailable' }));
      expect((await fixture.stored(key)) === large).toBe(true);
    });
  },
);
