import { Sha256 } from '@aws-crypto/sha256-js';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bucket, credentials, type OpenStore, openStore, refusalOf } from './open-store.ts';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
  await opened.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'levels.csv', Body: 'level\n1.2\n' }));
});
afterAll(() => opened.close());

const path = `/${bucket}/levels.csv`;

test('an unsigned request is refused with AccessDenied', async () => {
  const answer = await opened.sendUnsigned({ path });
  expect([answer.status, answer.code]).toEqual([403, 'AccessDenied']);
});

test('the store says in its Server header that it is a development store', async () => {
  const answer = await opened.sendUnsigned({ path });
  expect(answer.headers.server).toContain('development');
});

describe('keys that are not the store’s own', () => {
  test.each([
    ['another access key id', { accessKeyId: 'AKIAOTHER', secretAccessKey: 'x' }, 'InvalidAccessKeyId'],
    ['another secret', { accessKeyId: credentials.access_key_id, secretAccessKey: 'x' }, 'SignatureDoesNotMatch'],
  ])('%s is refused', async (_, keys, code) => {
    const client = opened.newClient({ credentials: keys });
    expect(await refusalOf(client.send(new GetObjectCommand({ Bucket: bucket, Key: 'levels.csv' })))).toBe(
      `403 ${code}`,
    );
  });

  test('a session token, which would be one passed on by mistake, is refused', async () => {
    const client = opened.newClient({
      credentials: {
        accessKeyId: credentials.access_key_id,
        secretAccessKey: credentials.secret_access_key,
        sessionToken: 'somebody-elses',
      },
    });
    const call = client.send(new GetObjectCommand({ Bucket: bucket, Key: 'levels.csv' }));
    expect(await refusalOf(call)).toBe('400 InvalidToken');
  });

  test('another region is refused and the right one named', async () => {
    const client = opened.newClient({ region: 'eu-west-1' });
    const call = client.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(await refusalOf(call)).toBe('400 AuthorizationHeaderMalformed');
  });
});

describe('what a signature covers', () => {
  test.each([
    ['the path', { path: `/${bucket}/other.csv` }],
    ['the query', { path, query: 'response-content-type=text/html' }],
    ['the method', { path, method: 'DELETE' }],
  ])('changing %s after signing is refused', async (_, changed) => {
    const headers = opened.sign({ path });
    const answer = await opened.sendUnsigned({ ...changed, headers });
    expect([answer.status, answer.code]).toEqual([403, 'SignatureDoesNotMatch']);
  });

  test('an x-amz- header that was added after signing is refused', async () => {
    const headers = { ...opened.sign({ path }), 'x-amz-meta-added': 'later' };
    const answer = await opened.sendUnsigned({ path, headers });
    expect([answer.status, answer.code]).toEqual([403, 'AccessDenied']);
  });

  test('a signed x-amz-cf-id, which the edge adds, is accepted', async () => {
    expect((await opened.send({ path, headers: { 'x-amz-cf-id': 'a1b2==' } })).status).toBe(200);
  });

  test('a request signed 16 minutes ago is refused', async () => {
    const headers = opened.sign({ path });
    opened.moveClock(16 * 60);
    const answer = await opened.sendUnsigned({ path, headers });
    opened.moveClock(-16 * 60);
    expect([answer.status, answer.code]).toEqual([403, 'RequestTimeTooSkewed']);
  });

  test('a host name that is not this machine is refused, however it is signed', async () => {
    const answer = await opened.send({ path, headers: { host: 'rebound.example' } });
    expect(answer.status).toBe(421);
  });
});

test.each([
  [0, 200, undefined],
  [61, 403, 'AccessDenied'],
])('a presigned URL with a life of a minute is answered after %i s with %i', async (afterSeconds, status, code) => {
  const host = `127.0.0.1:${opened.store.port}`;
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    uriEscapePath: false,
    sha256: Sha256,
    credentials: { accessKeyId: credentials.access_key_id, secretAccessKey: credentials.secret_access_key },
  });
  const presigned = await signer.presign(
    {
      method: 'GET',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path,
      headers: { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      query: {},
    },
    { expiresIn: 60 },
  );
  const query = Object.entries(presigned.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(`${value}`)}`,
  );
  opened.moveClock(afterSeconds);
  const answer = await opened.sendUnsigned({ path, query: query.join('&'), headers: { host } });
  opened.moveClock(-afterSeconds);
  expect([answer.status, answer.code]).toEqual([status, code]);
});
