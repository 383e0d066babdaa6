/**
 * In CloudFront's cache key. The viewer function alone sets it: `open` for a request whose answer may be given to others,
 * else the request's own id, so that its answer is never found again.
 */
export const cacheHeader = 'x-sluice-cache';
export const openMark = 'open';

/** On the request to storage, unsigned: what `formatFreshness` says of it. */
export const freshUntilHeader = 'x-sluice-fresh-until';

/** Both in milliseconds since the Unix epoch. */
export interface Freshness {
  /** Until when the answer may be kept. */
  freshUntil: number;
  /** When it was begun to decide about the request. */
  decidedAt: number;
}

export function formatFreshness({ freshUntil, decidedAt }: Freshness): string {
  return `${freshUntil} ${decidedAt}`;
}

/** Undefined for what nothing is kept by. */
export function readFreshness(text: string | undefined): Freshness | undefined {
  const [, freshUntil, decidedAt] = /^(\d{1,15}) (\d{1,15})$/.exec(text ?? '') ?? [];
  return decidedAt === undefined ? undefined : { freshUntil: Number(freshUntil), decidedAt: Number(decidedAt) };
}

/** What makes a request one for its sender alone. Any `x-amz-` header does too. */
export const ownHeaders = [
  'authorization',
  'if-match',
  'if-unmodified-since',
  'if-range',
  'transfer-encoding',
] as const;

/** Pattern of a Range that asks for one part. With several, an answer is in parts of its own, of which no cache can cut. */
export const onePart = '^bytes=(?:[0-9]{1,15}-[0-9]{0,15}|-[0-9]{1,15})$';

/** All that is left of an open request. The last four are not for a viewer function to remove. */
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
