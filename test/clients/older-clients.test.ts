import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { awsClis, readsEndpointSettings } from './aws-cli.ts';
import { type ClientWorld, startClientWorld } from './client-world.ts';
import { findClients, type InstalledClient, isAtLeast } from './installed-client.ts';

const program =
  'import boto3; print(boto3.client("sts").get_caller_identity(), boto3.client("s3").list_objects_v2(Bucket="tide-institute"))';

const versionArgs = ['import boto3; print(boto3.__version__)'];
const older: [title: string, client: InstalledClient, args: string[]][] = [
  ...awsClis
    .filter((aws) => !aws.isMissing && !readsEndpointSettings(aws))
    .map((aws): [string, InstalledClient, string[]] => [
      aws.title,
      aws,
      ['s3', 'ls', 's3://tide-institute/raw-drafts/'],
    ]),
  ...findClients('boto3', ['python3', '-c'], { versionArgs })
    .filter((boto3) => !boto3.isMissing && !isAtLeast(boto3.version, '1.28'))
    .map((boto3): [string, InstalledClient, string[]] => [boto3.title, boto3, [program]]),
];

describe.skipIf(older.length === 0)('a client older than the endpoint settings', () => {
  let world: ClientWorld;
  /** Whom clients asked the way to, and nothing beyond: this proxy leads nowhere. */
  let asked: string[];
  let proxyUrl: string;
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  }).on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  beforeAll(async () => {
    world = await startClientWorld();
    proxyUrl = `http://127.0.0.1:${await listenOnLoopback(proxy, 0)}`;
  });
  afterAll(async () => {
    proxy.close();
    await world.close();
  });

  test.each(older)('%s turns to AWS with the key, never to the service', async (_, client, args) => {
    asked = [];
    const tableRequests = world.service.tableRequests.length;
    const env = { ...world.settings, HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl, AWS_MAX_ATTEMPTS: '1' };
    await expect(client.run(args, env)).rejects.toMatchObject({ code: expect.any(Number) });
    expect(new Set(asked)).toEqual(new Set([expect.stringMatching(/^sts\.(us-east-1\.)?amazonaws\.com:443$/)]));
    expect(world.service.tableRequests.length).toBe(tableRequests);
  });
});
