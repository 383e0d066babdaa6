import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { clientFixture } from './fixtures/client-fixture.ts';
import { type InstalledClient, isAtLeast } from './fixtures/installed-client.ts';
import { boto3s } from './fixtures/python-clients.ts';
import { startTunnelToNowhere } from './fixtures/tunnel-to-nowhere.ts';

const program =
  'import boto3; print(boto3.client("sts").get_caller_identity(), boto3.client("s3").list_objects_v2(Bucket="tide-institute"))';

const older: [title: string, client: InstalledClient, args: string[]][] = [
  ...awsClis
    .filter((aws) => !aws.isMissing && !readsEndpointSettings(aws))
    .map((aws): [string, InstalledClient, string[]] => [
      aws.title,
      aws,
      ['s3', 'ls', 's3://tide-institute/raw-drafts/'],
    ]),
  ...boto3s
    .filter((boto3) => !boto3.isMissing && !isAtLeast(boto3.version, '1.28'))
    .map((boto3): [string, InstalledClient, string[]] => [boto3.title, boto3, ['-c', program]]),
];

describe.skipIf(older.length === 0)('a client older than the endpoint settings', { timeout: 120_000 }, () => {
  const fixture = clientFixture();
  let tunnel: Awaited<ReturnType<typeof startTunnelToNowhere>>;
  beforeAll(async () => {
    tunnel = await startTunnelToNowhere();
  });
  afterAll(() => tunnel.close());

  test.each(older)('%s sends the key to AWS, never to the service', async (_, client, args) => {
    tunnel.asked.length = 0;
    const tableRequests = fixture.service.tableRequests.length;
    const env = { ...fixture.settings, ...tunnel.env, AWS_MAX_ATTEMPTS: '1' };
    await expect(client.run(args, env)).rejects.toMatchObject({ code: expect.any(Number) });
    expect(new Set(tunnel.asked)).toEqual(new Set([expect.stringMatching(/^sts\.(us-east-1\.)?amazonaws\.com:443$/)]));
    expect(fixture.service.tableRequests.length).toBe(tableRequests);
  });
});
