import type { EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { virtualHostLabel } from '../domain/data/open-data-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { canonicalPath, encodedParameters, encodeStrictly, headerValue } from '../sigv4/canonical.ts';

/** The resource in the URL of a request. A bucket is an account. A part that is missing in the URL is undefined. */
export interface S3Resource extends Partial<RepositoryKey> {
  /** The account in the host name, as the client sent it. Undefined for a path-style request. */
  hostLabel: string | undefined;
  account_id: string | undefined;
  /** The key within the bucket. It begins with the repository ID. */
  bucketKey: string | undefined;
}

/**
 * A key within a bucket, split at its first slash. `repository_id` is the first segment, and `key` is the rest.
 * Without a slash, `key` is undefined.
 */
export interface RepositoryKey {
  /**
   * The repository ID. If the segment contains `@`, this field is the whole segment, which no repository has as its ID.
   */
  repository_id: string;
  /**
   * The version of a repository, if the first path segment contains `@`. Code that ignores this field finds no
   * repository, because `repository_id` is then no valid ID.
   */
  version?: NamedVersion;
  key: string | undefined;
}

/** A version of a repository in a path: `<repository ID>@<name>`. Both parts are as the client sent them. */
export interface NamedVersion {
  repository_id: string;
  name: string;
}

/**
 * Returns the resource in the URL of a request. The URL has path style, or virtual-host style when the host is below
 * `virtualHostBase`. Decodes the path exactly once, as the signature check does. As in S3, `//`, `.`, and `..` are not
 * resolved, because they are parts of keys. Returns undefined if the path is not UTF-8.
 */
export function parseResource(
  { headers, rawPath }: Pick<EdgeRequest, 'headers' | 'rawPath'>,
  virtualHostBase: string | undefined,
): S3Resource | undefined {
  const path = decodeOrUndefined(canonicalPath(rawPath, false))?.slice(1);
  if (path === undefined) return undefined;
  const hostLabel = virtualHostLabel(headerValue(headers, 'host') ?? '', virtualHostBase);
  const { account_id, key: bucketKey } =
    hostLabel === undefined ? splitBucket(path) : { account_id: hostLabel.toLowerCase(), key: path || undefined };
  return { hostLabel, account_id, bucketKey, ...(bucketKey === undefined ? {} : splitRepository(bucketKey)) };
}

/**
 * Parses `x-amz-copy-source`, a percent-encoded path of this proxy: `[/]account/repository/key`. Throws ServiceError
 * `invalid_argument` for ARNs and other forms, and `not_implemented` for a source with a `versionId`.
 */
export function parseCopySource(source: string): RepositoryKey & { account_id: string; key: string } {
  const question = source.indexOf('?');
  if (question >= 0 && source.startsWith('versionId=', question + 1)) {
    throw new ServiceError(
      'not_implemented',
      'Copying a version of an object is not supported; copy the current object.',
    );
  }
  // Refuse a `%` without two hexadecimal digits, as S3 does. The client did not encode the name, and decoding it could
  // select another object.
  if (/%(?![0-9a-f]{2})/i.test(source)) throw invalidCopySource();
  const path = decodeUtf8(canonicalPath(source.replace(/^\//, ''), false));
  const { account_id, key: bucketKey } = splitBucket(path);
  const named = bucketKey === undefined ? undefined : splitRepository(bucketKey);
  if (question >= 0 || account_id === undefined || account_id.startsWith('arn:') || !named?.key) {
    throw invalidCopySource();
  }
  return { account_id, ...named, key: named.key };
}

function invalidCopySource(): ServiceError {
  return new ServiceError(
    'invalid_argument',
    'x-amz-copy-source must be <account>/<repository>/<key>, percent-encoded.',
  );
}

export function splitRepository(bucketKey: string): RepositoryKey {
  const slash = bucketKey.indexOf('/');
  const repository_id = slash < 0 ? bucketKey : bucketKey.slice(0, slash);
  const key = slash < 0 ? undefined : bucketKey.slice(slash + 1);
  const at = repository_id.indexOf('@');
  if (at < 0) return { repository_id, key };
  const version = { repository_id: repository_id.slice(0, at), name: repository_id.slice(at + 1) };
  return { repository_id, version, key };
}

/** Encodes a key for a URL path. Everything except unreserved characters and `/` is percent-encoded. */
export function encodeKey(key: string): string {
  return encodeStrictly(key).replaceAll('%2F', '/');
}

function splitBucket(path: string): { account_id: string | undefined; key: string | undefined } {
  const slash = path.indexOf('/');
  const account_id = slash < 0 ? path : path.slice(0, slash);
  const key = slash < 0 ? '' : path.slice(slash + 1);
  return { account_id: path === '' ? undefined : account_id, key: key || undefined };
}

/**
 * The decoded query parameters by name. The signature check decodes the query in the same way, so both use the same
 * parameters.
 */
export type Query = ReadonlyMap<string, string>;

/**
 * Parses the query. Leaves out `x-id`, a label that AWS SDKs add. Returns `x-amz-` parameters as headers, because
 * clients move these headers into the query of a presigned URL.
 *
 * Throws ServiceError `invalid_request` for a repeated parameter, for invalid UTF-8, and for a header value that is not
 * visible ASCII. A repeated parameter is unsafe, because the proxy and storage could each use a different one of its
 * values.
 */
export function parseQuery(rawQuery: string): { query: Query; hoistedHeaders: HeaderFields } {
  const query = new Map<string, string>();
  const hoisted = new Map<string, string>();
  for (const [encodedName, encodedValue] of encodedParameters(rawQuery)) {
    const name = decodeUtf8(encodedName);
    const value = decodeUtf8(encodedValue);
    const isHeader = /^x-amz-/i.test(name);
    const [target, key] = isHeader ? [hoisted, name.toLowerCase()] : [query, name];
    if (target.has(key)) throw new ServiceError('invalid_request', 'A query parameter must not be given twice.');
    // Allow visible ASCII only. With a line break, the client could add headers to the request that the proxy signs.
    if (isHeader && !/^[a-z0-9-]+ [ -~]*$/.test(`${key} ${value}`)) {
      throw new ServiceError('invalid_request', 'A header in the query must consist of visible ASCII characters.');
    }
    target.set(key, value);
  }
  query.delete('x-id');
  return { query, hoistedHeaders: Object.fromEntries(hoisted) };
}

export function formatQuery(parameters: Iterable<readonly [name: string, value: string]>): string {
  return Array.from(parameters, ([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`).join('&');
}

/** Decodes percent-encoded text. Throws ServiceError `invalid_request` if the result is not UTF-8. */
function decodeUtf8(encoded: string): string {
  return decodeOrUndefined(encoded) ?? notUtf8();
}

/** Decodes percent-encoded text. Returns undefined if the result is not UTF-8. */
function decodeOrUndefined(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

export function notUtf8(): never {
  throw new ServiceError('invalid_request', 'The path and the query must be UTF-8, percent-encoded.');
}

/** Compares keys by their UTF-8 bytes, as S3 sorts them. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
