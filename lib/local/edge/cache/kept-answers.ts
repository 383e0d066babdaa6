import { LRUCache } from 'lru-cache';
import { objectCachePolicy, pageCachePolicy } from '../../../edge/cache-policy.ts';
import type { ViewerRequest } from '../viewer-request.ts';
import { fieldOf, isFresh, type KeptAnswer, rangeIn } from './kept-answer.ts';

/** Of one key: at most one of the whole or one of a HEAD, and parts. */
type Kept = readonly KeptAnswer[];

const keptBytesMax = 64 * 1024 * 1024;
/** Of headers, roughly. */
const headBytes = 2048;
const partsMax = 32;

const keyHeaders = objectCachePolicy.headers.map((name) => name.toLowerCase());

/** What CloudFront finds an answer by. */
export function cacheKey({ rawPath, rawQuery, headers }: ViewerRequest): string {
  return JSON.stringify([rawPath, rawQuery, ...keyHeaders.map((name) => fieldOf(headers, name) ?? '')]);
}

/** The same of a page: of the query, the parameters that the policy names, by their names as they came. */
export function pageCacheKey({ rawPath, rawQuery, headers }: ViewerRequest): string {
  const names: readonly string[] = pageCachePolicy.queryParameters;
  const given = rawQuery.split('&').filter((parameter) => names.includes(parameter.split('=', 1)[0] ?? ''));
  return JSON.stringify([rawPath, given, ...pageCachePolicy.headers.map((name) => fieldOf(headers, name) ?? '')]);
}

interface Invalidation {
  pattern: string;
  /** What was stored before is gone then. */
  effectiveAt: number;
}

/**
 * What the edge keeps, in two tiers as CloudFront has them: the far one is asked where the near one has nothing, and each
 * counts an answer's age from when it got it. Both hold the same bytes.
 */
export class KeptAnswers {
  readonly #tiers = [1, 2].map(
    () =>
      new LRUCache<string, Kept>({
        maxSize: keptBytesMax,
        sizeCalculation: (kept) => kept.reduce((sum, { body }) => sum + headBytes + (body?.length ?? 0), 0),
      }),
  );
  #invalidations: Invalidation[] = [];

  /** A fresh one if there is any, else one that the origin may say is the same still. */
  find(key: string, request: ViewerRequest, now: number): KeptAnswer | undefined {
    const [near, far] = this.#tiers.map((tier) => this.#candidates(tier.get(key), request, now));
    const fresh = near?.find((kept) => isFresh(kept, now));
    if (fresh !== undefined) return fresh;
    const farther = far?.find((kept) => isFresh(kept, now));
    if (farther === undefined) return [...(near ?? []), ...(far ?? [])].find(({ status }) => status < 400);
    const nearer = { ...farther, storedAt: now };
    this.#add(0, key, nearer);
    return nearer;
  }

  store(key: string, kept: KeptAnswer): void {
    for (const at of this.#tiers.keys()) this.#add(at, key, kept);
  }

  /** As CloudFront may at any time, for want of room. */
  forgetNear(): void {
    this.#tiers[0]?.clear();
  }

  /** @param effectiveAt what was stored before will be gone then; milliseconds since the Unix epoch */
  invalidate(patterns: readonly string[], effectiveAt: number): void {
    this.#invalidations.push(...patterns.map((pattern) => ({ pattern, effectiveAt })));
  }

  #candidates(kept: Kept | undefined, request: ViewerRequest, now: number): Kept {
    return (kept ?? []).filter((one) => {
      if (one.body === undefined && request.method === 'GET') return false;
      return rangeIn(one, request) !== undefined && !this.#isInvalidated(one, now);
    });
  }

  #isInvalidated({ url, storedAt }: KeptAnswer, now: number): boolean {
    // No answer is fresh for longer, and an older one is given to nobody before the functions have run.
    const oldest = now - objectCachePolicy.maxTtlSeconds * 1000;
    this.#invalidations = this.#invalidations.filter(({ effectiveAt }) => effectiveAt > oldest);
    return this.#invalidations.some(
      ({ pattern, effectiveAt }) => effectiveAt <= now && storedAt < effectiveAt && isOf(pattern, url),
    );
  }

  #add(at: number, key: string, kept: KeptAnswer): void {
    const before = this.#tiers[at]?.get(key) ?? [];
    const isReplaced = (other: KeptAnswer) =>
      kept.part === undefined || other.part === undefined || other.part.from === kept.part.from;
    this.#tiers[at]?.set(key, [kept, ...before.filter((other) => !isReplaced(other))].slice(0, partsMax));
  }
}

function isOf(pattern: string, url: string): boolean {
  return pattern.endsWith('*') ? url.startsWith(pattern.slice(0, -1)) : url === pattern;
}
