import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bucket, credentials, type OpenStore, openStore, refusalOf } from './open-store.ts';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
  await opened.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'levels.csv', Body: 'level\n1.2\n' }));
});
afterAll(() => opened.close());

const path = `/${bucket}/levels.csv`;

test('the store refuses an unsigned request with AccessDenied', async () => {
  const answer = await opened.sendUnsigned({ path });
  expect([answer.status, answer.code]).toEqual([403, 'AccessDenied']);
  expect(answer.headers.server).toContain('development');
});

describe('the store refuses', () => {
  test.each([
    ['another access key id', { accessKeyId: 'AKIAOTHER', secretAccessKey: 'x' }, 'InvalidAccessKeyId'],
    ['another secret', { accessKeyId: credentials.access_key_id, secretAccessKey: 'x' }, 'SignatureDoesNotMatch'],
  ])('%s', async (_, keys, code) => {
    const client = opened.newClient({ credentials: keys });
    expect(await refusalOf(client.send(new GetObjectCommand({ Bucket: bucket, Key: 'levels.csv' })))).toBe(
      `403 ${code}`,
    );
  });

  test('a foreign session token', async () => {
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

  test('another region', async () => {
    const client = opened.newClient({ region: 'eu-west-1' });
    const call = client.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(await refusalOf(call)).toBe('400 AuthorizationHeaderMalformed');
  });
});

describe('the store maps a refused signature', () => {
  test.each([
    ['a changed path', { path: `/${bucket}/other.csv` }, {}, 0, 403, 'SignatureDoesNotMatch'],
    ['an unsigned x-amz- header', { path }, { 'x-amz-meta-added': 'later' }, 0, 403, 'AccessDenied'],
    ['a signature of 16 minutes ago', { path }, {}, 16 * 60, 403, 'RequestTimeTooSkewed'],
  ])('of %s', async (_, request, added, afterSeconds, status, code) => {
    const headers = { ...opened.sign({ path }), ...added };
    opened.moveClock(afterSeconds);
    const answer = await opened.sendUnsigned({ ...request, headers });
    opened.moveClock(-afterSeconds);
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  test('but accepts a signed x-amz-cf-id, which the edge adds', async () => {
    expect((await opened.send({ path, headers: { 'x-amz-cf-id': 'a1b2==' } })).status).toBe(200);
  });

  test('and refuses a host name that is not this machine', async () => {
    expect((await opened.send({ path, headers: { host: 'rebound.example' } })).status).toBe(421);
  });
});

test.each([
  [0, 200, undefined],
  [61, 403, 'AccessDenied'],
])('a presigned URL that expires after a minute gets, after %i s, %i', async (afterSeconds, status, code) => {
  const url = await getSignedUrl(opened.s3, new GetObjectCommand({ Bucket: bucket, Key: 'levels.csv' }), {
    expiresIn: 60,
  });
  opened.moveClock(afterSeconds);
  const answer = await opened.sendUnsigned({ path, query: new URL(url).search.slice(1) });
  opened.moveClock(-afterSeconds);
  expect([answer.status, answer.code]).toEqual([status, code]);
});
