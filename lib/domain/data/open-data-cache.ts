// CloudFront's viewer functions import this file, so it must compile to the syntax of their runtime
// (`lib/edge/viewer`): no destructuring, no spread, and no loops over iterables.

/**
 * A header that is part of CloudFront's cache key. Its value is `open` if all callers share the response. For all other
 * requests, it is the ID of the request, so that no other request gets the cached response.
 */
export const cacheHeader = 'x-sluice-cache';
export const openMark = 'open';

/** A header of the request to storage, which the signature does not cover. `formatFreshness` formats its value. */
export const freshUntilHeader = 'x-sluice-fresh-until';

/**
 * A header of the request to storage for an object of a version. The signature does not cover it. Its value is the
 * recorded ETag of the object, without quotes and percent-encoded.
 */
export const versionEtagHeader = 'x-sluice-version-etag';

/** Times of a cacheable response, in milliseconds since the Unix epoch. */
export interface Freshness {
  /** The time until which caches may use the response. */
  freshUntil: number;
  /** The time at which the service began to authorize the request. */
  decidedAt: number;
}

export function formatFreshness(freshness: Freshness): string {
  return `${freshness.freshUntil} ${freshness.decidedAt}`;
}

/** Parses the header `freshUntilHeader`. Returns undefined if the response must not be cached. */
export function readFreshness(text: string | undefined): Freshness | undefined {
  const times = /^(\d{1,15}) (\d{1,15})$/.exec(text ?? '');
  return times === null ? undefined : { freshUntil: Number(times[1]), decidedAt: Number(times[2]) };
}

/**
 * Request headers that do not change the response. The proxy never forwards them. An example is `x-amz-te` of the AWS
 * SDK for Java.
 */
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

/** Request headers that make the response specific to one client, in addition to all `x-amz-` headers. */
const ownHeaders = ['authorization', 'if-match', 'if-unmodified-since', 'if-range', 'transfer-encoding'];

/**
 * Matches a Range header with one range. With several ranges, the response is multipart, and a cache cannot reuse it.
 */
const onePart = /^bytes=(?:[0-9]{1,15}-[0-9]{0,15}|-[0-9]{1,15})$/;

/** The fields of a request that both the viewer function and the origin function know. */
export interface PossiblyOpenRead {
  method: string;
  /** The path as the client sent it, not decoded. */
  path: string;
  hasQuery: boolean;
  /** Header values by lower-case name. Several values of one header are joined with commas. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The account's part of a virtual host name, as `virtualHostLabel` returns it. */
  hostLabel: string | undefined;
}

/**
 * Returns true if all callers may share the response. The path must be unambiguous, so that every parser reads the same
 * object key from it.
 */
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
    /^[a-z0-9-]+$/.test(segments[0] ?? '') &&
    /^[a-z0-9-]+(?:@[a-z0-9._-]+)?$/.test(segments[1] ?? '')
  );
}

/**
 * Returns the account in a virtual host name: the part before `.<virtualHostBase>`. Returns undefined for any other
 * host.
 */
export function virtualHostLabel(host: string, virtualHostBase: string | undefined): string | undefined {
  const name = host.replace(/:\d+$/, '');
  if (virtualHostBase === undefined || !name.toLowerCase().endsWith(`.${virtualHostBase}`)) return undefined;
  return name.slice(0, -virtualHostBase.length - 1);
}
