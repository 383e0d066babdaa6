import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignableRequest } from '../../../lib/sigv4/canonical.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';

const credentials = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'example secret', sessionToken: 'a-session-token' };
const holder = { secret_access_key: credentials.secretAccessKey };
const seen: { request: SignableRequest; body: Buffer }[] = [];
const server = createServer(async (message, response) => {
  const body = Buffer.concat(await message.toArray());
  seen.push({ request: toRequest(message), body });
  response.end();
});
let endpoint = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function toRequest(message: IncomingMessage): SignableRequest {
  const [rawPath = '', rawQuery = ''] = (message.url ?? '').split(/\?(.*)/s);
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(message.headersDistinct)) headers[name] = values?.join(',') ?? '';
  return { method: message.method ?? '', rawPath, rawQuery, headers };
}

async function capture(send: () => Promise<unknown>): Promise<{ request: SignableRequest; body: Buffer }> {
  seen.length = 0;
  // For some operations, the empty response is invalid. Only the request matters.
  await send().catch(() => undefined);
  const [first] = seen;
  if (first === undefined) throw new Error('the client sent nothing');
  return first;
}

const place = { Bucket: 'tide-institute', Key: "tide-gauges/a//b/../level=3/x y+z%2F&~é😀'()*!.csv" };
const operations: [string, (client: S3Client) => Promise<unknown>][] = [
  ['GetObject with a range', (client) => client.send(new GetObjectCommand({ ...place, Range: 'bytes=0-9' }))],
  [
    'PutObject from memory',
    (client) => client.send(new PutObjectCommand({ ...place, Body: 'x', Metadata: { station: ' Cux  haven ' } })),
  ],
  [
    'PutObject from a stream',
    (client) => client.send(new PutObjectCommand({ ...place, Body: Readable.from(['abc']), ContentLength: 3 })),
  ],
  [
    'ListObjectsV2',
    (client) =>
      client.send(
        new ListObjectsV2Command({
          Bucket: place.Bucket,
          Prefix: 'a b+c/é',
          Delimiter: '/',
          ContinuationToken: 'x+/=',
        }),
      ),
  ],
  ['CreateMultipartUpload', (client) => client.send(new CreateMultipartUploadCommand(place))],
  [
    'CompleteMultipartUpload',
    (client) =>
      client.send(
        new CompleteMultipartUploadCommand({
          ...place,
          UploadId: 'a+b',
          MultipartUpload: { Parts: [{ ETag: '"x"', PartNumber: 1 }] },
        }),
      ),
  ],
  [
    'DeleteObjects',
    (client) =>
      client.send(new DeleteObjectsCommand({ Bucket: place.Bucket, Delete: { Objects: [{ Key: place.Key }] } })),
  ],
];

test.each(operations)('%s of the AWS SDK verifies as it arrives', async (_, send) => {
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials, maxAttempts: 1 });
  const { request } = await capture(() => send(client));
  const presented = readSignature(request);
  if (presented === undefined) throw new Error('the signature was not seen');
  expect(presented).toMatchObject({ form: 'header', access_key_id: 'AKEXAMPLE', session_token: 'a-session-token' });
  verifySignature(request, presented, holder, { now: Date.now(), service: 's3' });
  const forged = { ...request, method: request.method === 'GET' ? 'PUT' : 'GET' };
  expect(() => verifySignature(forged, presented, holder, { now: Date.now(), service: 's3' })).toThrow(
    /does not match/,
  );
});

test.each(['/.sts', '/.sts/', '/', ''])('an STS client told %s verifies with the hash of its body', async (path) => {
  const client = new STSClient({ region: 'eu-north-1', endpoint: `${endpoint}${path}`, credentials, maxAttempts: 1 });
  for (const send of [
    () => client.send(new GetCallerIdentityCommand({})),
    () =>
      client.send(new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::a--b:role/ReadOnly', RoleSessionName: 'session' })),
  ]) {
    const { request, body } = await capture(send);
    const presented = readSignature(request);
    if (presented === undefined) throw new Error('the signature was not seen');
    const payloadHash = createHash('sha256').update(body).digest('hex');
    const options = { now: Date.now(), service: 'sts', payloadHash };
    verifySignature(request, presented, holder, options);
    expect(() => verifySignature(request, presented, holder, { ...options, payloadHash: `${payloadHash}0` })).toThrow(
      /does not match/,
    );
  }
});
