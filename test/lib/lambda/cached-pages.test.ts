import { describe, expect, test } from 'vitest';
import { type PageCaching, withCacheHeaders } from '../../../lib/lambda/functions/cached-pages.ts';

const now = Date.parse('2026-11-22T12:00:00Z');
const secondsAgo = (seconds: number) => new Date(now - seconds * 1000).toISOString();
const keptBy = (keeping: Partial<PageCaching>, headers: Record<string, string> = {}) =>
  withCacheHeaders(
    { html: '', headers },
    { isCacheable: true, openDataCacheSeconds: 60, repository: undefined, now, ...keeping },
  ).headers;
const controlOf = (keeping: Partial<PageCaching>) => keptBy(keeping)['cache-control'];
const neverCached = 'no-store, stale-if-error=0';

describe('a page', () => {
  test.each([
    [60, 60],
    [1, 1],
    [142, 142],
    [142, 143],
    [142, 300],
  ])('is cached for %s seconds when the setting is %s', (seconds, openDataCacheSeconds) => {
    expect(controlOf({ openDataCacheSeconds })).toBe(`s-maxage=${seconds}, stale-if-error=0`);
  });

  test('of a repository is cached when its last change is more than five minutes old', () => {
    const kept = 's-maxage=60, stale-if-error=0';
    expect(controlOf({ repository: { published: secondsAgo(315) } })).toBe(kept);
    expect(controlOf({ repository: { published: secondsAgo(900), updated: secondsAgo(315) } })).toBe(kept);
  });
});

test.each<[string, Partial<PageCaching>]>([
  ['with a TTL of zero', { openDataCacheSeconds: 0 }],
  ['for one user', { isCacheable: false }],
  ['of a new repository', { repository: { published: secondsAgo(314) } }],
  [
    'of a repository that changed less than five minutes ago',
    { repository: { published: secondsAgo(9000), updated: secondsAgo(314) } },
  ],
  ['of a repository with a change in the future', { repository: { published: secondsAgo(-10) } }],
  ['of a repository with an invalid time', { repository: { published: '' } }],
])('a page %s is not cached', (_, keeping) => {
  expect(controlOf(keeping)).toBe(neverCached);
});

test('moves the Cache-Control for viewers to another header', () => {
  expect(keptBy({})).toMatchObject({
    'x-sluice-storage-cache-control': 'public, max-age=0, must-revalidate',
    'x-sluice-shaped': 'cached',
  });
  expect(keptBy({ isCacheable: false }, { 'cache-control': 'private', etag: '"a"' })).toMatchObject({
    'x-sluice-storage-cache-control': 'private',
    'x-sluice-shaped': 'uncached',
    etag: '"a"',
  });
});
