import { LRUCache } from 'lru-cache';
import { objectCachePolicy, pageCachePolicy } from '../../../edge/cache-policy.ts';
import type { ViewerRequest } from '../viewer-request.ts';
import { type CachedResponse, fieldOf, isFresh, rangeIn } from './cached-response.ts';

/** The responses of one cache key: at most one whole response or HEAD response, and parts. */
type CachedEntries = readonly CachedResponse[];

const cacheBytesMax = 64 * 1024 * 1024;
/** Approximate memory of an entry beside its text. */
const headBytes = 1024;
const partsMax = 32;

const keyHeaders = objectCachePolicy.headers.map((name) => name.toLowerCase());

/** Returns the cache key of objects. A path holds no `?`, and a request no line feed, so keys cannot collide. */
export function cacheKey({ rawPath, rawQuery, headers }: ViewerRequest): string {
  let key = `${rawPath}?${rawQuery}`;
  for (const name of keyHeaders) key += `\n${fieldOf(headers, name) ?? ''}`;
  return key;
}

/** Returns the cache key of pages: of the query, only the parameters that the policy names, in their order. */
export function pageCacheKey({ rawPath, rawQuery, headers }: ViewerRequest): string {
  const names: readonly string[] = pageCachePolicy.queryParameters;
  const given = rawQuery.split('&').filter((parameter) => names.includes(parameter.split('=', 1)[0] ?? ''));
  return JSON.stringify([rawPath, given, ...pageCachePolicy.headers.map((name) => fieldOf(headers, name) ?? '')]);
}

interface Invalidation {
  pattern: string;
  /** When entries stored before become unreachable. */
  effectiveAt: number;
}

/**
 * Cached responses in two tiers, like CloudFront's edge and regional caches. The far tier is read on a miss of the near
 * tier. Each tier counts the age from when it stored the response. Both share the bytes.
 */
export class CachedResponses {
  readonly #tiers = [1, 2].map(
    () =>
      new LRUCache<string, CachedEntries>({
        maxSize: cacheBytesMax,
        sizeCalculation: (cached, key) => cached.reduce((sum, one) => sum + sizeOf(one), 2 * key.length),
      }),
  );
  #invalidations: Invalidation[] = [];
  /** Completed invalidations, remembered as long as a response that was on its way before could be fresh. */
  #done: Invalidation[] = [];

  /** Returns a fresh response, or else a stale one that the origin can revalidate. */
  find(key: string, request: ViewerRequest, now: number): CachedResponse | undefined {
    if (this.#invalidations.length > 0) this.#dropInvalidated(now);
    const [nearTier, farTier] = this.#tiers;
    const near = nearTier?.get(key)?.filter((cached) => answers(cached, request));
    const fresh = near?.find((cached) => isFresh(cached, now));
    if (fresh !== undefined) return fresh;
    const far = farTier?.get(key)?.filter((cached) => answers(cached, request));
    const farther = far?.find((cached) => isFresh(cached, now));
    if (farther === undefined) return [...(near ?? []), ...(far ?? [])].find(({ status }) => status < 400);
    const nearer = { ...farther, storedAt: now };
    this.#add(0, key, nearer);
    return nearer;
  }

  /**
   * Stores a response, unless it is stale already or an invalidation matched it before its body arrived.
   *
   * @param receivedAt when the content was received, in milliseconds since the Unix epoch
   */
  store(key: string, cached: CachedResponse, now: number, receivedAt = cached.storedAt): void {
    const isTaken = ({ pattern, effectiveAt }: Invalidation) =>
      effectiveAt <= now && receivedAt < effectiveAt && isOf(pattern, cached.url);
    if (!isFresh(cached, now) || this.#invalidations.some(isTaken) || this.#done.some(isTaken)) return;
    for (const at of this.#tiers.keys()) this.#add(at, key, cached);
  }

  /** Clears the near tier, as CloudFront may at any time when space is short. */
  clearNear(): void {
    this.#tiers[0]?.clear();
  }

  /** @param effectiveAt when entries stored before become unreachable, in milliseconds since the Unix epoch */
  invalidate(patterns: readonly string[], effectiveAt: number): void {
    this.#invalidations.push(...patterns.map((pattern) => ({ pattern, effectiveAt })));
  }

  /** Deletes invalidated entries. A stale entry that stayed could become fresh again by a 304. */
  #dropInvalidated(now: number): void {
    const done = this.#invalidations.filter(({ effectiveAt }) => effectiveAt <= now);
    if (done.length === 0) return;
    this.#invalidations = this.#invalidations.filter(({ effectiveAt }) => effectiveAt > now);
    const rememberedFrom = now - objectCachePolicy.maxTtlSeconds * 1000;
    this.#done = [...this.#done.filter(({ effectiveAt }) => effectiveAt > rememberedFrom), ...done];
    const isGone = ({ url, storedAt }: CachedResponse) =>
      done.some(({ pattern, effectiveAt }) => storedAt < effectiveAt && isOf(pattern, url));
    for (const tier of this.#tiers) {
      for (const [key, cached] of [...tier.entries()]) {
        const left = cached.filter((one) => !isGone(one));
        if (left.length === 0) tier.delete(key);
        else if (left.length < cached.length) tier.set(key, left);
      }
    }
  }

  #add(at: number, key: string, cached: CachedResponse): void {
    const before = this.#tiers[at]?.get(key) ?? [];
    const isReplaced = (other: CachedResponse) =>
      cached.part === undefined || other.part === undefined || other.part.from === cached.part.from;
    this.#tiers[at]?.set(key, [cached, ...before.filter((other) => !isReplaced(other))].slice(0, partsMax));
  }
}

function answers(cached: CachedResponse, request: ViewerRequest): boolean {
  if (cached.body === undefined && request.method === 'GET') return false;
  return rangeIn(cached, request) !== undefined;
}

/** Returns the size in bytes, with two bytes for each character: long names and large metadata count too. */
function sizeOf({ url, headers, body }: CachedResponse): number {
  let characters = url.length;
  for (const name in headers) {
    for (const { key = '', value } of headers[name] ?? []) characters += name.length + key.length + value.length;
  }
  return headBytes + 2 * characters + (body?.length ?? 0);
}

function isOf(pattern: string, url: string): boolean {
  return pattern.endsWith('*') ? url.startsWith(pattern.slice(0, -1)) : url === pattern;
}
