/**
 * Part of CloudFront's cache key, set only by the viewer function. The value is `open` for a request whose answer may
 * be shared. Otherwise it is the request's ID, so that no other request matches its cache entry.
 */
export const cacheHeader = 'x-sluice-cache';
export const openMark = 'open';

/** An unsigned header of the request to storage, in the format of `formatFreshness`. */
export const freshUntilHeader = 'x-sluice-fresh-until';

/** Both times are in milliseconds since the Unix epoch. */
export interface Freshness {
  /** The end of the answer's life in caches. */
  freshUntil: number;
  /** The start of the decision about the request. */
  decidedAt: number;
}

export function formatFreshness({ freshUntil, decidedAt }: Freshness): string {
  return `${freshUntil} ${decidedAt}`;
}

/** Parses the header. Returns undefined if the answer must not be cached. */
export function readFreshness(text: string | undefined): Freshness | undefined {
  const [, freshUntil, decidedAt] = /^(\d{1,15}) (\d{1,15})$/.exec(text ?? '') ?? [];
  return decidedAt === undefined ? undefined : { freshUntil: Number(freshUntil), decidedAt: Number(decidedAt) };
}

/** Headers that make an answer specific to its client, as does any `x-amz-` header. */
export const ownHeaders = [
  'authorization',
  'if-match',
  'if-unmodified-since',
  'if-range',
  'transfer-encoding',
] as const;

/**
 * Pattern of a Range with a single part. The answer to several parts is multipart, from which a cache cannot serve
 * ranges.
 */
export const onePart = '^bytes=(?:[0-9]{1,15}-[0-9]{0,15}|-[0-9]{1,15})$';

/** The headers that stay on an open request. A viewer function cannot remove the last four. */
export const openHeaders = [
  'host',
  'range',
  'if-none-match',
  'if-modified-since',
  'cdn-loop',
  'content-length',
  'transfer-encoding',
  'via',
] as const;
