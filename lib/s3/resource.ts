import type { EdgeRequest } from '../domain/data/decision.ts';
import { virtualHostLabel } from '../domain/data/open-data-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { canonicalPath, encodeStrictly, headerValue } from '../sigv4/canonical.ts';
import { decodeOrUndefined, decodeUtf8 } from './query.ts';

/** The resource that a request names. A bucket is an account. Parts that the request does not name are undefined. */
export interface S3Resource extends Partial<RepositoryKey> {
  /** The account in the host, as sent. Undefined for path style. */
  hostLabel: string | undefined;
  account_id: string | undefined;
  /** The key below the bucket, as the client names it. It begins with the repository. */
  bucketKey: string | undefined;
}

/** A key whose first segment names the repository. `key` is the rest, or undefined without a slash. */
export interface RepositoryKey {
  repository_id: string;
  key: string | undefined;
}

/**
 * Parses path style, or virtual-host style when the host is below `virtualHostBase`. Decodes the path once, as the
 * signature does. The path is literal, as in S3: `//`, `.`, and `..` are parts of keys. Returns undefined if the path is
 * not UTF-8.
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
 * Parses `x-amz-copy-source`: a path of this proxy, `[/]account/repository/key`, percent-encoded. Throws ServiceError
 * `invalid_argument` for ARNs and other forms, and `not_implemented` for a version.
 */
export function parseCopySource(source: string): { account_id: string; repository_id: string; key: string } {
  const question = source.indexOf('?');
  if (question >= 0 && source.startsWith('versionId=', question + 1)) {
    throw new ServiceError(
      'not_implemented',
      'Copying a version of an object is not supported; copy the current object.',
    );
  }
  const path = decodeUtf8(canonicalPath(source.replace(/^\//, ''), false));
  const { account_id, key: bucketKey } = splitBucket(path);
  const { repository_id, key } = bucketKey === undefined ? {} : splitRepository(bucketKey);
  if (
    question >= 0 ||
    account_id === undefined ||
    account_id.startsWith('arn:') ||
    repository_id === undefined ||
    key === undefined ||
    key === ''
  ) {
    throw new ServiceError(
      'invalid_argument',
      'x-amz-copy-source must be <account>/<repository>/<key>, percent-encoded.',
    );
  }
  return { account_id, repository_id, key };
}

export function splitRepository(bucketKey: string): RepositoryKey {
  const slash = bucketKey.indexOf('/');
  return slash < 0
    ? { repository_id: bucketKey, key: undefined }
    : { repository_id: bucketKey.slice(0, slash), key: bucketKey.slice(slash + 1) };
}

/** Encodes a key for a path: everything except unreserved characters and `/` is percent-encoded. */
export function encodeKey(key: string): string {
  return encodeStrictly(key).replaceAll('%2F', '/');
}

function splitBucket(path: string): { account_id: string | undefined; key: string | undefined } {
  const slash = path.indexOf('/');
  const account_id = slash < 0 ? path : path.slice(0, slash);
  const key = slash < 0 ? '' : path.slice(slash + 1);
  return { account_id: path === '' ? undefined : account_id, key: key || undefined };
}
