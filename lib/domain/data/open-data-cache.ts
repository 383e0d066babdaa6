// The viewer functions use this file too, so it must compile to the syntax of their runtime (`lib/edge/viewer`): it has
// no destructuring, no spread, and no loops over iterables.

/** Part of CloudFront's cache key: `open` for a shared answer, or else the ID of the only request that may use it. */
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

export function formatFreshness(freshness: Freshness): string {
  return `${freshness.freshUntil} ${freshness.decidedAt}`;
}

/** Parses the header. Returns undefined if the answer must not be cached. */
export function readFreshness(text: string | undefined): Freshness | undefined {
  const times = /^(\d{1,15}) (\d{1,15})$/.exec(text ?? '');
  return times === null ? undefined : { freshUntil: Number(times[1]), decidedAt: Number(times[2]) };
}

/** Headers that do not change the answer and are never forwarded, such as `x-amz-te` of the AWS SDK for Java. */
export const harmlessHeaders = [
  'x-amz-api-version',
  'x-amz-optional-object-attributes',
  'x-amz-request-payer',
  'x-amz-sdk-invocation-id',
  'x-amz-sdk-request',
  'x-amz-sdk-retry',
  'x-amz-te',
  'x-amz-trace-id',
  'x-amz-user-agent',
];

/** Headers that make an answer specific to its client, as does any `x-amz-` header. */
const ownHeaders = ['authorization', 'if-match', 'if-unmodified-since', 'if-range', 'transfer-encoding'];

/** A Range with one part. The answer to several parts is multipart, from which a cache cannot serve ranges. */
const onePart = /^bytes=(?:[0-9]{1,15}-[0-9]{0,15}|-[0-9]{1,15})$/;

/** A request as a viewer function and the origin function see it. */
export interface PossiblyOpenRead {
  method: string;
  /** The path as received. */
  path: string;
  hasQuery: boolean;
  /** Values by lower-case name; several values of a header are joined by commas. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The result of `virtualHostLabel`. */
  hostLabel: string | undefined;
}

/** Returns true when every caller gets the same answer, and every parser reads the same object from the path. */
export function isOpenRead(request: PossiblyOpenRead): boolean {
  const headers = request.headers;
  if ((request.method !== 'GET' && request.method !== 'HEAD') || request.hasQuery) return false;
  for (const name in headers) if (name.startsWith('x-amz-') || ownHeaders.indexOf(name) >= 0) return false;
  if (headers['range'] !== undefined && !onePart.test(headers['range'])) return false;
  if ((headers['content-length'] ?? '0') !== '0') return false;
  const path = request.path;
  if (!path.startsWith('/') || /%2e|%2f|%5c|\\/i.test(path)) return false;
  const segments = path.slice(1).split('/');
  if (request.hostLabel !== undefined) segments.unshift(request.hostLabel);
  return (
    segments.length >= 3 &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..') &&
    segments.slice(0, 2).every((segment) => /^[a-z0-9-]+$/.test(segment))
  );
}

/** Returns the part of a host before `virtualHostBase`, which names the account. Undefined for any other host. */
export function virtualHostLabel(host: string, virtualHostBase: string | undefined): string | undefined {
  const name = host.replace(/:\d+$/, '');
  if (virtualHostBase === undefined || !name.toLowerCase().endsWith(`.${virtualHostBase}`)) return undefined;
  return name.slice(0, -virtualHostBase.length - 1);
}
