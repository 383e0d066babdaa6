import { describe, expect, test, vi } from 'vitest';
import { made } from '../../functions/users.ts';
import { account, hit, miss, pagesOf, serviceOverTable } from './cache-fixture.ts';

const page = `/${account}/tide-gauges`;
const { service, table, owner, told, stopStream, close, openRepository } = await serviceOverTable();
// Pages of a repository that has just changed are not cached.
service.advance(316);

const { ask, seen, forget } = pagesOf(service);

/** Creates an open, listed repository, and waits until instances know it. */
async function openListed(repository_id: string): Promise<string> {
  await openRepository(repository_id, 'local-store');
  const meta = { title: `Title of ${repository_id}`, description: 'D', tags: 't' };
  const path = `/repositories/${account}/${repository_id}`;
  await told(repository_id, () => made(owner('PUT', path, { meta, state: 'listed' })));
  return `/${account}/${repository_id}`;
}

describe('in a cache of pages,', () => {
  test('a 404 is not cached, so a repository is visible as soon as it opens', async () => {
    const path = `/${account}/opens-soon`;
    expect(await seen(path)).toEqual([404, 'Error from cloudfront']);
    expect(await seen(path)).toEqual([404, 'Error from cloudfront']);
    await openListed('opens-soon');
    expect((await seen(path))[0]).toBe(200);
  });

  test('a failure is not cached, and no stale page replaces it', async () => {
    forget();
    await ask(page);
    table.isDown = true;
    try {
      // A page in the cache needs no read of the table.
      expect(await seen(page)).toEqual([200, hit]);
      service.advance(130);
      expect((await ask(page)).status).toBeGreaterThanOrEqual(500);
    } finally {
      table.isDown = false;
    }
    expect((await seen(page))[0]).toBe(200);
  });

  test('a redirect of a transferred repository is not cached', async () => {
    const path = await openListed('moves-away');
    const offer = await owner('POST', `/repositories/${account}/moves-away/transfers`, { to: 'ada' });
    expect(offer.status).toBe(201);
    expect((await owner('POST', `/transfers/${offer.body.transfer_id}/accept`)).status).toBe(200);
    for (let times = 0; times < 2; times += 1) {
      const answer = await ask(path);
      expect([answer.status, answer.headers['x-cache']]).toEqual([308, miss]);
    }
  });
});

describe('a repository that changed less than five minutes ago', () => {
  test('has pages that are not cached, because they may still show old files', async () => {
    const path = await openListed('young');
    expect([await seen(path), await seen(path)]).toEqual([
      [200, miss],
      [200, miss],
    ]);
    service.advance(316);
    expect([await seen(path), await seen(path)]).toEqual([
      [200, miss],
      [200, hit],
    ]);
  });
});

/** Returns the pages that show a repository. */
const tellingPages = (path: string) => [path, `${path}?path=`, `/${account}`, '/', '/-/search?q=title', '/sitemap.xml'];

/**
 * Returns how many seconds after the revocation a page last showed the repository. Readers request each page every five
 * seconds for six minutes. On pages of the repository, the status counts. On other pages, the repository's name counts.
 */
async function lastToldSeconds(
  path: string,
  closedAt: number,
  { tellsCaches = false, on = tellingPages(path) } = {},
): Promise<number> {
  let last = 0;
  let steps = 0;
  while (service.services.clock() < closedAt + 360_000) {
    for (const one of on) {
      const beganAt = service.services.clock();
      const answer = await ask(one);
      if (answer.status < 300 && answer.body.includes(path)) last = (beganAt - closedAt) / 1000;
    }
    service.advance(5);
    if (tellsCaches) await service.invalidations.deliverDue();
    if (steps % 3 === 0) service.pageCache.clearNearTier();
    steps += 1;
  }
  return last;
}

async function readAll(path: string): Promise<void> {
  await becomesFound(path);
  for (const one of tellingPages(path)) await ask(one);
  for (const one of tellingPages(path)) expect([one, ...(await seen(one))]).toEqual([one, 200, hit]);
}

/**
 * Waits until a search finds the repository. The stream needs a moment, and an instance reads the index changes every
 * ten seconds.
 */
async function becomesFound(path: string): Promise<void> {
  service.advance(316);
  const look = async () => {
    service.advance(131);
    for (const one of tellingPages(path)) expect((await ask(one)).body.toString()).toContain(path);
  };
  await vi.waitFor(look, { timeout: 20_000, interval: 200 });
}

describe('no cached page shows closed data', () => {
  test('45 seconds and one invalidation after the revocation, when all services work', async () => {
    const path = await openListed('page-told');
    await readAll(path);
    const closedAt = await told('page-told', () => close('page-told'));
    expect(await lastToldSeconds(path, closedAt, { tellsCaches: true })).toBeLessThanOrEqual(45 + 5);
  });

  // The sitemap is excluded: it shows the index, which changes by the stream or by its next build.
  test('after the TTL of both tiers, when the feed is down and every invalidation is lost', async () => {
    const path = await openListed('page-untold');
    await readAll(path);
    await stopStream();
    const on = tellingPages(path).filter((one) => one !== '/sitemap.xml');
    const last = await lastToldSeconds(path, await close('page-untold'), { on });
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThanOrEqual(2 * 60 + 10);
  });

  test('after the TTL of both tiers, when the table is down too', async () => {
    const path = `/${account}/opens-soon`;
    service.advance(316);
    await ask(path);
    await ask(path);
    const closedAt = await close('opens-soon');
    table.isDown = true;
    const last = await lastToldSeconds(path, closedAt);
    table.isDown = false;
    expect(last).toBeLessThanOrEqual(2 * 60 + 10);
    expect((await seen(path))[0]).toBe(404);
  });
});
