import type { HeaderFields } from '../domain/data/decision.ts';

/** The directives of a Cache-Control header by lower-case name; `true` for one without a value. */
export function readCacheControl(value: string | undefined): ReadonlyMap<string, string | true> {
  const directives = new Map<string, string | true>();
  for (const [, name = '', quoted, token] of (value ?? '').matchAll(
    /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g,
  )) {
    const given = quoted ?? token ?? true;
    const before = directives.get(name.toLowerCase());
    // Of two ages the shorter counts, and what is no number is no age.
    directives.set(name.toLowerCase(), before === undefined || isShorter(given, before) ? given : before);
  }
  return directives;
}

function isShorter(given: string | true, before: string | true): boolean {
  return !(secondsOf(given) >= secondsOf(before));
}

function secondsOf(value: string | true): number {
  return typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : 0;
}

/**
 * For how many seconds more the storage would have its answer kept by a cache that many share: none at all, or no word
 * about it (infinity). RFC 9111, sections 4.2.1 and 5.2.2.
 */
export function storageFreshSeconds(headers: HeaderFields, now: number): number {
  const directives = readCacheControl(headers['cache-control']);
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name)) || 'pragma' in headers) return 0;
  const ageSeconds = secondsOf(headers['age'] ?? '0');
  const said = directives.get('s-maxage') ?? directives.get('max-age');
  if (said !== undefined) return Math.max(0, secondsOf(said) - ageSeconds);
  const { expires } = headers;
  if (expires === undefined) return Number.POSITIVE_INFINITY;
  const date = Date.parse(headers['date'] ?? '');
  const seconds = (Date.parse(expires) - (Number.isNaN(date) ? now : date)) / 1000 - ageSeconds;
  return seconds > 0 ? seconds : 0;
}
