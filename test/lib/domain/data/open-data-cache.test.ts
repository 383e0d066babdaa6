import { expect, test } from 'vitest';
import { formatFreshness, readFreshness, virtualHostLabel } from '../../../../lib/domain/data/open-data-cache.ts';
import { loadAgain } from '../../../mutation/load-again.ts';

type OpenDataCache = typeof import('../../../../lib/domain/data/open-data-cache.ts');

test('the cache of open data has the headers that the documentation names', async () => {
  const url = new URL('../../../../lib/domain/data/open-data-cache.ts', import.meta.url);
  const { isOpenRead, ...constants } = await loadAgain<OpenDataCache>(url);
  const harmless = 'api-version optional-object-attributes request-payer sdk-invocation-id sdk-request sdk-retry';
  expect(constants).toMatchObject({
    ...{ cacheHeader: 'x-sluice-cache', openMark: 'open', freshUntilHeader: 'x-sluice-fresh-until' },
    versionEtagHeader: 'x-sluice-version-etag',
    harmlessHeaders: `${harmless} te trace-id user-agent`.split(' ').map((name) => `x-amz-${name}`),
  });
  const read = { method: 'GET', path: '/tides/gauges/a.csv', hasQuery: false, hostLabel: undefined };
  const own = ['authorization', 'if-match', 'if-unmodified-since', 'if-range', 'transfer-encoding', 'x-amz-acl'];
  const isOpenWith = (name: string) => isOpenRead({ ...read, headers: { [name]: 'a' } });
  expect([...own, 'accept', ''].filter(isOpenWith)).toEqual(['accept', '']);
});

test.each([
  ['1 2', { freshUntil: 1, decidedAt: 2 }],
  ['123456789012345 123456789012345', { freshUntil: 123_456_789_012_345, decidedAt: 123_456_789_012_345 }],
  ['1234567890123456 1', undefined],
  ['1', undefined],
  ['1 2 3', undefined],
  ['1 -2', undefined],
  ['', undefined],
  [undefined, undefined],
])('the header %j means the times %j', (text, times) => {
  expect(readFreshness(text)).toEqual(times);
  if (times !== undefined) expect(formatFreshness(times)).toBe(text);
});

test.each([
  ['tides.data.example', 'data.example', 'tides'],
  ['Tides.Data.Example:8443', 'data.example', 'Tides'],
  ['data.example', 'data.example', undefined],
  ['tidesdata.example', 'data.example', undefined],
  ['tides.data.example', undefined, undefined],
])('the host %s below %s has the label %s', (host, base, label) => {
  expect(virtualHostLabel(host, base)).toBe(label);
});
