import { expect, test } from 'vitest';
import { loadAgain } from '../../mutation/load-again.ts';

type CachePolicy = typeof import('../../../lib/edge/cache-policy.ts');

test('the cache policies have the keys and the TTLs that the proxy expects', async () => {
  const policy = await loadAgain<CachePolicy>(new URL('../../../lib/edge/cache-policy.ts', import.meta.url));
  const times = { minTtlSeconds: 0, defaultTtlSeconds: 0, maxTtlSeconds: 300, errorTtlSeconds: 0 };
  expect(policy.objectCachePolicy).toEqual({ headers: ['Host', 'x-sluice-cache'], ...times });
  const queryParameters = ['q', 'tag', 'account_id', 'license', 'format', 'sort', 'cursor', 'path', 'version'];
  expect(policy.pageCachePolicy).toEqual({ headers: ['x-sluice-host'], queryParameters, ...times });
  expect(policy.apiPathPatterns).toEqual(['/api/*', '/health']);
  expect(policy.cachedErrorStatuses).toEqual([400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]);
});
