import { beforeAll, describe, expect, test } from 'vitest';
import { type StorageOfOurs, startStorageOfOurs } from '../storage-of-ours.ts';
import { account, hit, miss, readersOf, serviceOverTable } from './cache-fixture.ts';

const { service, owner, told, stopStream, openRepository, close } = await serviceOverTable();
const storage = await startStorageOfOurs(service, 'ours');
const { read, seen } = readersOf(service);
const open: StorageOfOurs['answer'] = (_request, response) =>
  void response.writeHead(200, { etag: '"1"', 'content-length': 4 }).end('open');

describe('an instance that has not read a revocation from the feed', () => {
  const alone = { 'if-unmodified-since': 'Mon, 01 Jan 2035 00:00:00 GMT' };
  beforeAll(() => {
    storage.answer = open;
  });

  /**
   * Revokes public access to a repository just after the instance has read the change feed. Returns a function that
   * moves the clock to a number of seconds after the revocation.
   */
  async function closedUnheard(repository_id: string) {
    const path = await openRepository(repository_id, 'ours');
    service.advance(11);
    const lookedAt = service.services.clock();
    await read(path);
    await told(repository_id, () => close(repository_id));
    const at = (seconds: number) => service.advance((lookedAt - service.services.clock()) / 1000 + seconds);
    return { path, at };
  }

  test('serves the data for ten seconds after the revocation, and caches serve it for at most 50', async () => {
    const { path, at } = await closedUnheard('looked-before');
    at(8);
    expect((await read(path, alone)).status).toBe(200);
    let last = 8;
    for (let second = 9; second <= 150; second += 1) {
      at(second);
      await service.invalidations.deliverDue();
      // Use a new object name each time, so that the newest cache entry is as late as possible.
      for (const one of [path, `${path}.${second}`]) if ((await read(one)).status === 200) last = second;
    }
    expect(last).toBeGreaterThan(8);
    expect(last).toBeLessThanOrEqual(45 + 5);
  });

  test('restores an invalidated entry between the two invalidations, and the second one removes it', async () => {
    const { path, at } = await closedUnheard('refilled');
    at(0);
    service.cache.invalidate([`/${account}/refilled/*`]);
    at(6);
    expect(await seen(path)).toEqual([200, 'open', miss]);
    at(30);
    // The instance has read the change, but its earlier response is still cached.
    expect((await read(path, alone)).status).toBe(403);
    expect(await seen(path)).toEqual([200, 'open', hit]);
    service.cache.invalidate([`/${account}/refilled/*`]);
    at(36);
    expect((await read(path)).status).toBe(403);
  });

  test('serves no earlier data for a recreated repository, even with the same ETag', async () => {
    const path = await openRepository('made-anew', 'ours');
    await read(path);
    await told('made-anew', () => close('made-anew'));
    service.cache.invalidate([`/${account}/made-anew/*`]);
    service.advance(400);
    storage.answer = ({ headers }, response) =>
      headers['if-none-match'] === undefined
        ? void response.writeHead(200, { etag: '"1"', 'content-length': 5 }).end('other')
        : void response.writeHead(304, { etag: '"1"' }).end();
    const mode = { data_mode: 'open' };
    expect((await owner('PUT', `/repositories/${account}/made-anew/data-mode`, mode)).status).toBe(200);
    service.advance(15);
    expect((await seen(path))[1]).toBe('other');
  });

  test('does not restore an entry after the last invalidation, when the storage answers late', async () => {
    const { path, at } = await closedUnheard('held-back');
    const { answer } = storage;
    const late = `${path}.late`;
    at(8);
    storage.answer = async (request, response) => {
      for (let second = 9; second <= 55; second += 1) {
        at(second);
        await service.invalidations.deliverDue();
      }
      answer(request, response);
    };
    expect((await read(late)).status).toBe(200);
    storage.answer = answer;
    expect((await read(late)).status).toBe(403);
  });
});

test('an instance starts no read of closed data after 300 seconds, when feed and invalidations fail and the storage is slow', async () => {
  const path = await openRepository('slow-and-untold', 'ours');
  storage.answer = open;
  // All authorization data of the instance are as new as possible.
  service.advance(310);
  await read(path);
  await stopStream();
  await close('slow-and-untold');
  for (let second = 0; second < 290; second += 10) {
    service.advance(10);
    // The instance reads the change feed and finds no entry.
    expect((await read(`${path}.${second}`)).status).toBe(200);
  }
  for (const method of ['GET', 'HEAD']) {
    storage.answer = (request, response) => {
      service.advance(11);
      open(request, response);
    };
    const late = await read(`${path}.late`, {}, method);
    expect([late.status, late.headers['retry-after']]).toEqual([503, '1']);
    service.advance(-11);
  }
  service.advance(11);
  storage.answer = open;
  expect((await read(`${path}.late`)).status).toBe(403);
});
