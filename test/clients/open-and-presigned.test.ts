import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Client } from 'minio';
import { beforeAll, describe, expect, test } from 'vitest';
import { s3Client } from '../service/data-clients.ts';
import { awsClis } from './fixtures/aws-cli.ts';
import { type ClientFixture, clientFixture, schemes } from './fixtures/client-fixture.ts';
import { findClient, type InstalledClient } from './fixtures/installed-client.ts';
import { boto3s } from './fixtures/python-clients.ts';
import { bucket } from './fixtures/transfers.ts';

const rclone = findClient('rclone', ['rclone'], { versionArgs: ['version'] });

const openKey = 'tide-gauges/open +1 ä.csv';
const privateKey = 'raw-drafts/shared +1 ä.csv';
const text = 'station,height\nbrest,4.2\n';

/** Clients that print the open object, and the names of the objects beside it. */
const readers: [InstalledClient, (fixture: ClientFixture) => Promise<[object: string, listed: string]>][] = [
  ...awsClis.map((aws): (typeof readers)[number] => [
    aws,
    async ({ dataUrl, trust }) => {
      const run = (...args: string[]) => {
        const anyone = ['--no-sign-request', '--endpoint-url', dataUrl, '--region', 'anywhere-1'];
        return aws.run([...anyone, ...args], trust);
      };
      return [
        await run('s3', 'cp', `s3://${bucket}/${openKey}`, '-'),
        await run('s3', 'ls', '--recursive', `s3://${bucket}/tide-gauges/`),
      ];
    },
  ]),
  ...boto3s.map((boto3): (typeof readers)[number] => [
    boto3,
    async ({ dataUrl, trust }) => {
      const run = (expression: string) =>
        boto3.run(
          [
            '-c',
            `import boto3, sys; from botocore import UNSIGNED; from botocore.config import Config
s3 = boto3.client("s3", endpoint_url=sys.argv[1], region_name="anywhere-1", config=Config(signature_version=UNSIGNED))
print(${expression}, end="")`,
            dataUrl,
          ],
          { ...trust, PYTHONUTF8: '1' },
        );
      return [
        await run(`s3.get_object(Bucket="${bucket}", Key="${openKey}")["Body"].read().decode()`),
        await run(`s3.list_objects_v2(Bucket="${bucket}", Prefix="tide-gauges/")["Contents"][0]["Key"]`),
      ];
    },
  ]),
  [
    rclone,
    async (fixture) => {
      const remote = `:s3,provider=Other,endpoint="${fixture.dataUrl}":${bucket}`;
      return [
        await rclone.run(['cat', `${remote}/${openKey}`], rcloneHome(fixture)),
        await rclone.run(['lsf', `${remote}/tide-gauges`], rcloneHome(fixture)),
      ];
    },
  ],
];

/** Clients that presign a URL for the private object. The URL is valid for one minute. */
const presigners: [InstalledClient, (fixture: ClientFixture) => Promise<string>][] = [
  ...awsClis.map((aws): (typeof presigners)[number] => [
    aws,
    async ({ dataUrl, fixedSettings, folder }) => {
      const env = { ...fixedSettings, AWS_CONFIG_FILE: `${folder}/presign` };
      await aws.run(['configure', 'set', 'default.s3.signature_version', 's3v4'], env);
      const address = `s3://${bucket}/${privateKey}`;
      return aws.run(['--endpoint-url', dataUrl, 's3', 'presign', '--expires-in', '60', address], env);
    },
  ]),
  ...boto3s.map((boto3): (typeof presigners)[number] => [
    boto3,
    ({ dataUrl, fixedSettings }) =>
      boto3.run(
        [
          '-c',
          `import boto3, sys; from botocore.config import Config
s3 = boto3.client("s3", endpoint_url=sys.argv[1], config=Config(signature_version="s3v4"))
print(s3.generate_presigned_url("get_object", Params={"Bucket": "${bucket}", "Key": "${privateKey}"}, ExpiresIn=60))`,
          dataUrl,
        ],
        { ...fixedSettings, PYTHONUTF8: '1' },
      ),
  ]),
  [
    { title: 'minio for JavaScript (npm)', isMissing: false } as InstalledClient,
    ({ dataUrl, credentials }) => {
      const { hostname, port, protocol } = new URL(dataUrl);
      const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken = '' } = credentials;
      const endpoint = { endPoint: hostname, port: Number(port), useSSL: protocol === 'https:' };
      return new Client({ ...endpoint, accessKey, secretKey, sessionToken }).presignedGetObject(bucket, privateKey, 60);
    },
  ],
  [
    rclone,
    (fixture) => rclone.run(['link', '--expire', '60s', `sluice:${bucket}/${privateKey}`], rcloneSettings(fixture)),
  ],
];

function rcloneHome({ folder, trust }: ClientFixture): Record<string, string> {
  const { AWS_CA_BUNDLE: _breaksIt, ...trusted } = trust;
  return { ...trusted, RCLONE_CONFIG: `${folder}/none.conf` };
}

function rcloneSettings(fixture: ClientFixture): Record<string, string> {
  const { dataUrl, credentials } = fixture;
  return {
    ...rcloneHome(fixture),
    RCLONE_CONFIG_SLUICE_TYPE: 's3',
    RCLONE_CONFIG_SLUICE_PROVIDER: 'Other',
    RCLONE_CONFIG_SLUICE_ENDPOINT: dataUrl,
    RCLONE_CONFIG_SLUICE_ACCESS_KEY_ID: credentials.accessKeyId,
    RCLONE_CONFIG_SLUICE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    RCLONE_CONFIG_SLUICE_SESSION_TOKEN: credentials.sessionToken ?? '',
  };
}

describe.each(schemes)('over %s,', { timeout: 120_000 }, (scheme) => {
  const fixture = clientFixture(scheme);
  beforeAll(async () => {
    const s3 = s3Client(fixture, fixture.credentials);
    for (const Key of [openKey, privateKey]) await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: text }));
    s3.destroy();
  });

  describe.each(readers.map(([client, read]) => ({ ...client, read })))('$title', ({ isMissing, read }) => {
    test.skipIf(isMissing)('reads and lists open data without credentials', async () => {
      const [object, listed] = await read(fixture);
      expect(object).toBe(text);
      expect(listed).toContain(openKey.slice('tide-gauges/'.length));
    });
  });

  describe.each(presigners.map(([client, presign]) => ({ ...client, presign })))('$title', ({ isMissing, presign }) => {
    test.skipIf(isMissing)('presigns a URL with which anyone can read a private object for a minute', async () => {
      const address = new URL((await presign(fixture)).trim());
      expect(address.origin).toBe(fixture.dataUrl);
      expect(await (await fetch(address)).text()).toBe(text);
      address.pathname = address.pathname.replace('shared', 'other');
      expect((await fetch(address)).status).toBe(403);
    });
  });
});
