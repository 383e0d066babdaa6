import { beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../../service/data-clients.ts';
import { sendSigned } from '../../service/signed-requests.ts';
import { account, hit, miss, readersOf, serviceOverTable } from './cache-fixture.ts';

const { service, table, owner, told, stopStream, close, openRepository } = await serviceOverTable();
const credentials = await signIn(service, service.key);
const { read, seen } = readersOf(service);

const signed = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  sendSigned(
    service,
    credentials,
    { method, path, headers, ...(body === undefined ? {} : { body }) },
    { signedAt: service.services.clock() },
  );

async function write(path: string, body: string, headers: Record<string, string> = {}): Promise<void> {
  expect((await signed('PUT', path, body, headers)).status).toBe(200);
}

describe('a reader without credentials', () => {
  const path = `/${account}/tide-gauges/read.csv`;
  beforeAll(() => write(path, '0123456789', { 'cache-control': 'max-age=31536000', 'x-amz-meta-station': 'bergen' }));

  test('gets the cached answer with its age and the headers of the storage, without internal headers', async () => {
    const first = await read(path, { origin: 'https://a.example', accept: 'text/csv' });
    expect(first.headers).toMatchObject({ 'x-cache': miss, 'cache-control': 'max-age=31536000' });
    expect(first.headers).not.toHaveProperty('age');
    service.advance(7);
    const second = await read(path, { origin: 'https://b.example', 'x-amz-checksum-mode': 'ENABLED', cookie: 'a=b' });
    expect(second.headers).toMatchObject({
      'x-cache': hit,
      'cache-control': 'max-age=31536000',
      'x-amz-meta-station': 'bergen',
      'access-control-allow-origin': '*',
    });
    expect(Number(second.headers['age'])).toBeGreaterThanOrEqual(7);
    expect(second.body.toString()).toBe('0123456789');
    const names = [...Object.keys(first.headers), ...Object.keys(second.headers)];
    expect(names.filter((name) => name.startsWith('x-sluice-'))).toEqual([]);
  });

  test('gets cached ranges without the checksum of the whole object, and a HEAD with its length', async () => {
    const part = await read(path, { range: 'bytes=2-4' });
    expect([part.status, part.body.toString(), part.headers['x-cache']]).toEqual([206, '234', hit]);
    expect(part.headers['content-range']).toBe('bytes 2-4/10');
    expect(Object.keys(part.headers).filter((name) => name.startsWith('x-amz-checksum-'))).toEqual([]);
    const head = await read(path, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.headers['x-cache']]).toEqual([200, '10', hit]);
    const etag = String(head.headers['etag']);
    expect(await seen(path, { 'if-none-match': etag })).toEqual([304, '', hit]);
    expect((await read(path, { range: 'bytes=10-' })).status).toBe(416);
  });

  test.each<[string, Record<string, string>, string?, string?]>([
    ['If-Match', { 'if-match': '*' }],
    ['If-Unmodified-Since', { 'if-unmodified-since': 'Mon, 01 Jan 2035 00:00:00 GMT' }],
    ['If-Range', { 'if-range': '"a"', range: 'bytes=0-1' }],
    ["a customer's key", { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }],
    ['an expected owner', { 'x-amz-expected-bucket-owner': account }],
    ['a parameter', {}, '?partNumber=1'],
    ['an escaped repository', {}, '', `/${account}/%74ide-gauges/read.csv`],
    ['an escaped account', {}, '', `/%74ide-institute/tide-gauges/read.csv`],
    ['dot segments', {}, '', `/${account}/tide-gauges/x/../read.csv`],
    ['escaped dot segments', {}, '', `/${account}/tide-gauges/%2e%2E/tide-gauges/read.csv`],
    ['an escaped slash', {}, '', `/${account}/tide-gauges%2fread.csv`],
    ['two slashes', {}, '', `/${account}/tide-gauges//read.csv`],
    ['a backslash', {}, '', `/${account}/tide-gauges\\read.csv`],
  ])(
    'with %s gets each answer from the function, and does not affect other readers',
    async (_, headers, query = '', other = path) => {
      for (let times = 0; times < 2; times += 1) {
        expect((await read(other + query, headers)).headers['x-cache']).not.toBe(hit);
      }
      expect((await seen(path)).slice(0, 2)).toEqual([200, '0123456789']);
    },
  );

  test.each<[string, Record<string, string>]>([
    ['Accept', { accept: 'text/html;q=0.5, application/json' }],
    ['Accept-Encoding', { 'accept-encoding': 'br, gzip' }],
    ['Accept-Language', { 'accept-language': 'de' }],
    ['Origin', { origin: 'https://evil.example' }],
    ['Cookie', { cookie: 'session=1' }],
    ['Referer', { referer: 'https://evil.example/' }],
  ])('gets the same answer with and without %s, and does not affect other readers', async (_, headers) => {
    const odd = await read(path, headers);
    const plain = await read(path);
    expect([odd.status, odd.headers['x-cache'], plain.headers['x-cache']]).toEqual([200, hit, hit]);
    expect(odd.headers['access-control-allow-origin']).toBe('*');
    expect([odd.body.equals(plain.body), odd.headers['vary']]).toEqual([true, undefined]);
  });

  test('gets the Cache-Control of the storage, while the cache uses the TTL of the service', async () => {
    expect((await read(path)).headers['cache-control']).toBe('max-age=31536000');
    service.advance(121);
    expect((await read(path)).headers['x-cache']).not.toBe(hit);
  });

  test('at a virtual host gets a separate cache entry', async () => {
    const host = `${account}.localhost`;
    expect((await seen('/tide-gauges/read.csv', { host }))[2]).toBe(miss);
    expect((await seen('/tide-gauges/read.csv', { host }))[2]).toBe(hit);
    // The same path has a different meaning with the host of another account, or without one.
    expect((await read('/tide-gauges/read.csv', { host: 'other-lab.localhost' })).status).toBe(403);
    expect((await read('/tide-gauges/read.csv')).status).toBe(403);
  });

  test.each(['PUT', 'DELETE', 'POST'])('gets a refusal for %s of a cached object', async (method) => {
    expect((await read(path, {}, method)).status).toBeGreaterThanOrEqual(400);
    expect((await seen(path))[1]).toBe('0123456789');
  });
});

describe('data that only some callers may read', () => {
  const path = `/${account}/raw-drafts/secret.csv`;
  beforeAll(() => write(path, 'secret'));

  test('is never cached, whatever headers a client sends', async () => {
    const request = { method: 'GET', path };
    const signedAt = service.services.clock();
    for (const unsignedHeaders of [{}, {}, { 'x-sluice-cache': 'open' }, { 'x-sluice-fresh-until': '9999999999999' }]) {
      const answer = await sendSigned(service, credentials, request, { signedAt, unsignedHeaders });
      expect([answer.status, answer.headers['x-cache']]).toEqual([200, miss]);
      for (const headers of [{}, { 'x-sluice-cache': 'open' }, { 'x-sluice-fresh-until': '9999999999999' }]) {
        expect((await read(path, headers)).status).toBe(403);
      }
    }
  });

  test('is read from storage by each signed request, in sequence and in parallel', async () => {
    const signedAt = service.services.clock();
    const again = () => sendSigned(service, credentials, { method: 'GET', path }, { signedAt });
    for (const answer of [await again(), await again(), ...(await Promise.all([again(), again()]))]) {
      expect([answer.status, answer.headers['x-cache']]).toEqual([200, miss]);
    }
  });

  test.each([path, `/${account}/tide-gauges/presigned.csv`])(
    'is read from storage at each use of a presigned URL until the URL expires: %s',
    async (object) => {
      await write(object, 'signed');
      const signedAt = service.services.clock();
      const use = (method = 'GET') =>
        sendSigned(service, credentials, { method, path: object }, { signedAt, expiresIn: 60 });
      for (const answer of [await use(), await use(), ...(await Promise.all([use(), use()]))]) {
        expect([answer.status, answer.headers['x-cache']]).toEqual([200, miss]);
      }
      await seen(object);
      await seen(object);
      service.advance(61);
      // The rule applies even when all other clients get the cached response.
      expect((await use()).status).toBe(403);
    },
  );

  test('is refused for HEAD and for a range too', async () => {
    expect([(await read(path, {}, 'HEAD')).status, (await read(path, { range: 'bytes=0-1' })).status]).toEqual([
      403, 403,
    ]);
  });
});

describe('after a write,', () => {
  const path = `/${account}/tide-gauges/written.csv`;

  test('a signed request reads a write immediately, and others after the TTL of both tiers', async () => {
    await write(path, 'first');
    expect((await seen(path))[1]).toBe('first');
    await write(path, 'second');
    expect((await signed('GET', path)).body.toString()).toBe('second');
    expect(await seen(path)).toEqual([200, 'first', hit]);
    service.advance(121);
    expect((await seen(path))[1]).toBe('second');
  });

  test('a condition with a stale cached ETag gets 412 until the cache entry expires', async () => {
    const etag = String((await read(path)).headers['etag']);
    await write(path, 'third');
    expect((await read(path)).headers['etag']).toBe(etag);
    expect((await read(path, { 'if-match': etag })).status).toBe(412);
    service.advance(121);
    const newer = String((await read(path)).headers['etag']);
    expect((await read(path, { 'if-match': newer })).status).toBe(200);
  });

  test('a new object is visible to others within seconds', async () => {
    const fresh = `/${account}/tide-gauges/new.csv`;
    expect((await read(fresh, {}, 'HEAD')).status).toBe(404);
    expect((await read(fresh)).status).toBe(404);
    await write(fresh, 'here');
    expect((await seen(fresh))[2]).toBe(hit);
    expect((await signed('GET', fresh)).status).toBe(200);
    expect((await read(fresh, {}, 'HEAD')).status).not.toBe(200);
    service.advance(11);
    expect((await seen(fresh)).slice(0, 2)).toEqual([200, 'here']);
  });
});

/** Creates a public repository with an object that has just been read. */
async function openWithObject(repository_id: string): Promise<string> {
  const path = await openRepository(repository_id, 'local-store');
  const grant = `/service-accounts/${account}--nightly-sync/grants/${repository_id}`;
  expect((await owner('PUT', grant, { access: 'read_write' })).status).toBeLessThan(300);
  service.advance(15);
  await write(path, 'open');
  await write(`${path}.later`, 'open');
  return path;
}

/**
 * Returns how many seconds after the revocation a response with the object last started. Readers request it every five
 * seconds for six minutes.
 */
async function lastReadSeconds(path: string, closedAt: number, tellsCaches = false): Promise<number> {
  const paths = [path, `${path}.later`];
  let last = 0;
  let steps = 0;
  while (service.services.clock() < closedAt + 360_000) {
    for (const one of paths) {
      const beganAt = service.services.clock();
      const answers = [await read(one), await read(one, { range: 'bytes=0-1' }), await read(one, {}, 'HEAD')];
      if (answers.some(({ status }) => status < 300)) last = (beganAt - closedAt) / 1000;
    }
    for (let second = 0; second < 5; second += 1) {
      service.advance(1);
      if (tellsCaches) await service.invalidations.deliverDue();
    }
    // A cache tier near the reader may drop an entry and fetch it again from the far tier. The age of the entry then
    // starts at zero.
    if (steps % 3 === 0) service.cache.clearNearTier();
    steps += 1;
  }
  return last;
}

describe('closed data is unreadable', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['told-private', () => close('told-private')],
    ['told-disabled', () => owner('POST', `/repositories/${account}/told-disabled/disable`)],
  ])(
    '45 seconds and one invalidation after the revocation, when all services work: %s',
    async (repository_id, closing) => {
      const path = await openWithObject(repository_id);
      await read(path);
      const closedAt = service.services.clock();
      await told(repository_id, closing);
      expect(await lastReadSeconds(path, closedAt, true)).toBeLessThanOrEqual(45 + 5);
    },
  );

  test('after the TTL of both tiers, when the feed works and no invalidation arrives', async () => {
    const path = await openWithObject('told');
    await read(path);
    const closedAt = await told('told', () => close('told'));
    const last = await lastReadSeconds(path, closedAt);
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(10 + 2 * 60 + 10);
  });

  test('after 300 seconds, when the feed is down and every invalidation is lost', async () => {
    await stopStream();
    const path = await openWithObject('untold');
    // Reads with the newest possible authorization data, and with older data.
    await read(path);
    expect(await lastReadSeconds(path, await close('untold'))).toBeLessThanOrEqual(300);
  });

  test('after 300 seconds with 503, when the table is down too', async () => {
    const path = await openWithObject('unread');
    await read(path);
    const closedAt = await close('unread');
    table.isDown = true;
    const last = await lastReadSeconds(path, closedAt);
    const after = await read(path);
    table.isDown = false;
    expect(last).toBeLessThanOrEqual(300);
    expect([after.status, after.headers['retry-after']]).toEqual([503, '1']);
  });
});
