import { expect, onTestFinished, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { createStorageCheck } from '../../../lib/edge/storage-check.ts';
import type { RepositoryStorage } from '../../../lib/s3/repository-storage.ts';
import { formatStorageCheck, storageCheckHeader } from '../../../lib/s3/storage-check.ts';
import { storageRequest } from '../../../lib/s3/storage-request.ts';
import { serve } from '../../service/http-server.ts';

let time = Date.UTC(2026, 10, 21, 10);
const clock = () => time;
const pass = (seconds: number) => {
  time += 1000 * seconds;
};

const credentials = { access_key_id: 'AKONE', secret_access_key: 'secret', session_token: 'token' };

/** Starts a storage that answers every request with a status and an error code, or with an empty list. */
async function startStorage() {
  const storage = { status: 200, code: '', asked: [] as string[] };
  const { url, close } = await serve(async (request, response) => {
    storage.asked.push(`${request.method} ${request.url} ${request.headers.authorization?.split(' ')[0] ?? ''}`.trim());
    response
      .writeHead(storage.status)
      .end(storage.code === '' ? '<List/>' : `<Error><Code>${storage.code}</Code></Error>`);
  });
  onTestFinished(close);
  /** Returns a forwarded request for an object. */
  const forwarded = (method: string, changes: Partial<RepositoryStorage> = {}) => {
    const repository = {
      ...{ account_id: 'tides', repository_id: 'gauges', data_connection_id: 'one', prefix: 'tides/gauges/' },
      ...{ isOfAccount: true, credentials, authorization_read_at: 0 },
      details: {
        provider: 's3' as const,
        bucket: 'bucket',
        base_prefix: '',
        region: 'eu-west-1',
        endpoint: `${url}/base`,
      },
      ...changes,
    };
    const call = { method, key: 'a b', query: [], headers: {}, payloadHash: 'UNSIGNED-PAYLOAD' };
    const request = storageRequest(repository, call, time);
    return { ...request, headers: { ...request.headers, [storageCheckHeader]: formatStorageCheck(repository, time) } };
  };
  return { storage, forwarded };
}

const fault = (step: string, code: string) => ({ step, code });
const refused = fault('list', 'credentials_refused');

test.each([
  [403, 'InvalidAccessKeyId', refused],
  [403, 'SignatureDoesNotMatch', refused],
  [400, 'ExpiredToken', refused],
  [400, 'InvalidToken', refused],
  [404, 'NoSuchBucket', fault('reach', 'bucket_not_found')],
  [301, 'PermanentRedirect', fault('region', 'region_differs')],
  [400, 'AuthorizationHeaderMalformed', fault('region', 'region_differs')],
  [403, 'AccessDenied', undefined],
  [404, 'NoSuchKey', undefined],
  [503, 'SlowDown', undefined],
  [403, '', undefined],
  [200, '', undefined],
])('a list with the status %i and the code %s gives the fault %j for every method', async (status, code, expected) => {
  const { storage, forwarded } = await startStorage();
  Object.assign(storage, { status, code });
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    expect(await createStorageCheck(clock)(forwarded(method))).toEqual(expected);
  }
  expect(new Set(storage.asked)).toEqual(new Set(['GET /base/bucket/?list-type=2&max-keys=1 AWS4-HMAC-SHA256']));
});

test('the list of a connection without credentials is not signed', async () => {
  const { storage, forwarded } = await startStorage();
  Object.assign(storage, { status: 404, code: 'NoSuchBucket' });
  const check = createStorageCheck(clock);
  expect(await check(forwarded('GET', { credentials: undefined }))).toMatchObject({ code: 'bucket_not_found' });
  expect(storage.asked).toEqual(['GET /base/bucket/?list-type=2&max-keys=1']);
});

test('the signature of the list is renewed after five minutes', async () => {
  const { forwarded } = await startStorage();
  const before = forwarded('GET').headers[storageCheckHeader];
  pass(limits.storageCheckSignedEverySeconds - 1);
  expect(forwarded('PUT').headers[storageCheckHeader]).toBe(before);
  pass(1);
  expect(forwarded('GET').headers[storageCheckHeader]).not.toBe(before);
});

test('a working storage is cached for 30 seconds, and a fault for ten', async () => {
  const { storage, forwarded } = await startStorage();
  const check = createStorageCheck(clock);
  expect(await check(forwarded('GET'))).toBeUndefined();
  Object.assign(storage, { status: 403, code: 'InvalidAccessKeyId' });
  pass(limits.workingStorageTtlSeconds - 1);
  expect(await check(forwarded('HEAD'))).toBeUndefined();
  expect(storage.asked).toHaveLength(1);
  pass(1);
  expect([await check(forwarded('GET')), await check(forwarded('PUT'))]).toEqual([refused, refused]);
  expect(storage.asked).toHaveLength(2);
  storage.code = '';
  pass(limits.failingStorageTtlSeconds - 1);
  expect(await check(forwarded('DELETE'))).toEqual(refused);
  pass(1);
  expect(await check(forwarded('GET'))).toBeUndefined();
});

test('concurrent requests share one list, and each connection has its own', async () => {
  const { storage, forwarded } = await startStorage();
  const check = createStorageCheck(clock);
  await Promise.all(Array.from({ length: 20 }, () => check(forwarded('GET'))));
  expect(storage.asked).toHaveLength(1);
  await check(forwarded('GET', { data_connection_id: 'two' }));
  expect(storage.asked).toHaveLength(2);
});

test('a fault and the first list after it are reported, and nothing else', async () => {
  const { storage, forwarded } = await startStorage();
  const reported: unknown[] = [];
  const check = createStorageCheck(clock, { answered: (id, { status }) => reported.push([id, status]) });
  for (const [status, code] of [
    [403, 'AccessDenied'],
    [403, 'InvalidAccessKeyId'],
    [200, ''],
    [200, ''],
  ] as const) {
    Object.assign(storage, { status, code });
    await check(forwarded('GET'));
    pass(limits.workingStorageTtlSeconds);
  }
  expect(reported).toEqual([
    ['one', 403],
    ['one', 200],
  ]);
});

test('an unreachable storage and a request without the header have no fault', async () => {
  const { storage, forwarded } = await startStorage();
  const check = createStorageCheck(clock);
  expect(await check({ ...forwarded('GET'), port: 1 })).toBeUndefined();
  expect(await check({ ...forwarded('GET'), headers: {} })).toBeUndefined();
  expect(storage.asked).toEqual([]);
});
