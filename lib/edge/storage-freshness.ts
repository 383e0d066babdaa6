import type { HeaderFields } from '../domain/data/decision.ts';

/** Parses a Cache-Control header into directives by lower-case name. A directive without a value is `true`. */
export function readCacheControl(value: string | undefined): ReadonlyMap<string, string | true> {
  const directives = new Map<string, string | true>();
  for (const [, name = '', quoted, token] of (value ?? '').matchAll(
    /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g,
  )) {
    const given = quoted ?? token ?? true;
    const before = directives.get(name.toLowerCase());
    // The shorter of two ages wins. An age that is not a number counts as 0.
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
 * Returns for how many more seconds storage allows shared caches to keep its response. Returns infinity if storage sets
 * no limit (RFC 9111, sections 4.2.1 and 5.2.2).
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
