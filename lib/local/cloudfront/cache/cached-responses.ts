import { LRUCache } from 'lru-cache';
import { objectCachePolicy, pageCachePolicy } from '../../../edge/cache-policy.ts';
import type { ViewerRequest } from '../viewer-request.ts';
import { fieldOf, isFresh, type KeptAnswer, rangeIn } from './cached-response.ts';

/** Of one key: at most one of the whole or one of a HEAD, and parts. */
type Kept = readonly KeptAnswer[];

const keptBytesMax = 64 * 1024 * 1024;
/** Of what holds an answer beside its text, roughly. */
const headBytes = 1024;
const partsMax = 32;

const keyHeaders = objectCachePolicy.headers.map((name) => name.toLowerCase());

/** What CloudFront finds an answer by. No path holds `?`, and nothing of a request a line feed. */
export function cacheKey({ rawPath, rawQuery, headers }: ViewerRequest): string {
  let key = `${rawPath}?${rawQuery}`;
  for (const name of keyHeaders) key += `\n${fieldOf(headers, name) ?? ''}`;
  return key;
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
        sizeCalculation: (kept, key) => kept.reduce((sum, one) => sum + sizeOf(one), 2 * key.length),
      }),
  );
  #invalidations: Invalidation[] = [];
  /** Those that are done, for as long as an answer that is on its way since before could be fresh. */
  #done: Invalidation[] = [];

  /** A fresh one if there is any, else one that the origin may say is the same still. */
  find(key: string, request: ViewerRequest, now: number): KeptAnswer | undefined {
    if (this.#invalidations.length > 0) this.#forgetInvalidated(now);
    const [nearTier, farTier] = this.#tiers;
    const near = nearTier?.get(key)?.filter((kept) => answers(kept, request));
    const fresh = near?.find((kept) => isFresh(kept, now));
    if (fresh !== undefined) return fresh;
    const far = farTier?.get(key)?.filter((kept) => answers(kept, request));
    const farther = far?.find((kept) => isFresh(kept, now));
    if (farther === undefined) return [...(near ?? []), ...(far ?? [])].find(({ status }) => status < 400);
    const nearer = { ...farther, storedAt: now };
    this.#add(0, key, nearer);
    return nearer;
  }

  /**
   * Nothing that is outlived by now, or that an invalidation took before its body was there.
   *
   * @param heldSince when what is in it came; milliseconds since the Unix epoch
   */
  store(key: string, kept: KeptAnswer, now: number, heldSince = kept.storedAt): void {
    const isTaken = ({ pattern, effectiveAt }: Invalidation) =>
      effectiveAt <= now && heldSince < effectiveAt && isOf(pattern, kept.url);
    if (!isFresh(kept, now) || this.#invalidations.some(isTaken) || this.#done.some(isTaken)) return;
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

  /** For good: what is outlived comes back when the origin says that it is the same still. */
  #forgetInvalidated(now: number): void {
    const done = this.#invalidations.filter(({ effectiveAt }) => effectiveAt <= now);
    if (done.length === 0) return;
    this.#invalidations = this.#invalidations.filter(({ effectiveAt }) => effectiveAt > now);
    const rememberedFrom = now - objectCachePolicy.maxTtlSeconds * 1000;
    this.#done = [...this.#done.filter(({ effectiveAt }) => effectiveAt > rememberedFrom), ...done];
    const isGone = ({ url, storedAt }: KeptAnswer) =>
      done.some(({ pattern, effectiveAt }) => storedAt < effectiveAt && isOf(pattern, url));
    for (const tier of this.#tiers) {
      for (const [key, kept] of [...tier.entries()]) {
        const left = kept.filter((one) => !isGone(one));
        if (left.length === 0) tier.delete(key);
        else if (left.length < kept.length) tier.set(key, left);
      }
    }
  }

  #add(at: number, key: string, kept: KeptAnswer): void {
    const before = this.#tiers[at]?.get(key) ?? [];
    const isReplaced = (other: KeptAnswer) =>
      kept.part === undefined || other.part === undefined || other.part.from === kept.part.from;
    this.#tiers[at]?.set(key, [kept, ...before.filter((other) => !isReplaced(other))].slice(0, partsMax));
  }
}

function answers(kept: KeptAnswer, request: ViewerRequest): boolean {
  if (kept.body === undefined && request.method === 'GET') return false;
  return rangeIn(kept, request) !== undefined;
}

/** In bytes, of which a character takes two at most: long names and much metadata count as well. */
function sizeOf({ url, headers, body }: KeptAnswer): number {
  let characters = url.length;
  for (const name in headers) {
    for (const { key = '', value } of headers[name] ?? []) characters += name.length + key.length + value.length;
  }
  return headBytes + 2 * characters + (body?.length ?? 0);
}

function isOf(pattern: string, url: string): boolean {
  return pattern.endsWith('*') ? url.startsWith(pattern.slice(0, -1)) : url === pattern;
}
