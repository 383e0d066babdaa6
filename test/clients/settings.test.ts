import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { clientFixture, schemes } from './fixtures/client-fixture.ts';
import { isAtLeast } from './fixtures/installed-client.ts';
import { boto3s } from './fixtures/python-clients.ts';

const execute = promisify(execFile);

type Program = (env: Record<string, string>) => Promise<string>;

/** Programs that write an object, read it, and print their identity, using only their environment. */
const javascript = `
  import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
  import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
  const s3 = new S3Client();
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/from-settings.txt' };
  await s3.send(new PutObjectCommand({ ...place, Body: 'it works' }));
  console.log(await (await s3.send(new GetObjectCommand(place))).Body.transformToString());
  console.log((await new STSClient().send(new GetCallerIdentityCommand())).Account);`;

const python = `
import boto3
s3, place = boto3.client("s3"), {"Bucket": "tide-institute", "Key": "raw-drafts/from-settings.txt"}
s3.put_object(**place, Body=b"it works")
print(s3.get_object(**place)["Body"].read().decode())
print(boto3.client("sts").get_caller_identity()["Account"])`;

const shell = `
printf 'it works' | "$0" s3 cp - s3://tide-institute/raw-drafts/from-settings.txt
"$0" s3 cp s3://tide-institute/raw-drafts/from-settings.txt -; echo
"$0" sts get-caller-identity --query Account --output text`;

const runJavascript: Program = async (env) => {
  const args = ['--input-type=module', '-e', javascript];
  return (await execute(process.execPath, args, { env: { PATH: process.env['PATH'], ...env } })).stdout;
};

const programs: [title: string, run: Program][] = [
  ['AWS SDK for JavaScript', runJavascript],
  ...boto3s
    .filter(({ version }) => isAtLeast(version, '1.28'))
    .map((boto3): [string, Program] => [boto3.title, (env) => boto3.run(['-c', python], env)]),
  ...awsClis.filter(readsEndpointSettings).map((aws): [string, Program] => [
    aws.title,
    async (env) => {
      const where = /\((.*)\)$/.exec(aws.title)?.[1] ?? 'aws';
      return (await execute('sh', ['-c', shell, where], { env: { PATH: process.env['PATH'], ...env } })).stdout;
    },
  ]),
];

describe.each(schemes)('software without other settings signs in over %s', { timeout: 120_000 }, (scheme) => {
  const fixture = clientFixture(scheme);

  describe.each(programs)('%s', (_, run) => {
    test('with the five settings in its environment', async () => {
      expect(await run(fixture.settings)).toBe('it works\ntide-institute--nightly-sync\n');
    });

    test('with a profile of its config file', async () => {
      expect(await run(fixture.profile)).toBe('it works\ntide-institute--nightly-sync\n');
    });
  });
});
