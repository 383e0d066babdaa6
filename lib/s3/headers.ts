import type { HeaderFields } from '../domain/data/decision.ts';
import { headerMatcher } from '../domain/data/header-names.ts';
import { harmlessHeaders } from '../domain/data/open-data-cache.ts';
import { ServiceError } from '../domain/errors.ts';

/** The request headers that are forwarded to storage. */
const isForwarded = headerMatcher(`accept-encoding cache-control content-disposition content-encoding content-language
  content-length content-md5 content-type expires if-match if-modified-since if-none-match if-range if-unmodified-since
  range x-amz-checksum-* x-amz-copy-source-if-* x-amz-copy-source-range x-amz-copy-source-server-side-encryption-*
  x-amz-decoded-content-length x-amz-max-parts x-amz-meta-* x-amz-metadata-directive x-amz-mp-object-size
  x-amz-object-attributes x-amz-part-number-marker x-amz-sdk-checksum-algorithm x-amz-server-side-encryption*
  x-amz-storage-class x-amz-tagging x-amz-tagging-directive x-amz-trailer`);
/** Headers about encryption, which may contain customers' keys. The proxy forwards them only for signed requests. */
const isOfEncryption = headerMatcher('x-amz-copy-source-server-side-encryption* x-amz-server-side-encryption*');
/**
 * Headers for authentication, and headers that this proxy handles itself. The proxy does not forward them, and never
 * refuses a request because of them.
 */
const isConsumed = headerMatcher(`x-amz-algorithm x-amz-content-sha256 x-amz-copy-source x-amz-credential x-amz-date
  x-amz-expected-bucket-owner x-amz-expires x-amz-security-token x-amz-signature x-amz-signedheaders
  x-amz-source-expected-bucket-owner ${harmlessHeaders.join(' ')}`);
/**
 * The client's headers that the proxy copies into its own requests to storage. It does not copy headers about a
 * streamed body or about reads.
 */
const isForRelay =
  headerMatcher(`cache-control content-disposition content-encoding content-language content-type expires
  if-match if-none-match x-amz-*`);

const acceptedAcls: readonly string[] = ['private', 'bucket-owner-full-control'];

/**
 * Returns the client's headers to forward to storage. Unknown `x-amz-` headers are handled as follows:
 * - In a GET or HEAD, they are dropped. At worst, the response then lacks something.
 * - In a signed write, a header may be a condition or a storage option. Throws ServiceError `not_implemented`, unless
 *   its value is empty or `false`. For example, rclone sends `x-amz-bucket-object-lock-enabled: false` with
 *   CreateBucket.
 * - In anonymous requests, they are dropped, because they are not signed.
 */
export function headersForStorage(
  headers: HeaderFields,
  { method, isSigned }: { method: string; isSigned: boolean },
): HeaderFields {
  const mayDrop = !isSigned || method === 'GET' || method === 'HEAD';
  const passedOn: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (isForwarded(name)) {
      if (isSigned || !isOfEncryption(name)) passedOn[name] = value;
    } else if (!mayDrop && name.startsWith('x-amz-') && !isConsumed(name) && !isHarmlessValue(name, value)) {
      throw new ServiceError('not_implemented', `The header ${name} is not supported; send the request without it.`);
    }
  }
  return passedOn;
}

/**
 * Throws ServiceError `access_denied` when the client expects another owner of the bucket. S3 compares AWS account
 * numbers. This proxy compares account IDs, which are the names of its buckets.
 *
 * @param header `x-amz-expected-bucket-owner`, or `x-amz-source-expected-bucket-owner` for the source of a copy
 */
export function checkExpectedOwner(header: string, expected: string | undefined, account_id: string): void {
  if (expected === undefined || expected === account_id) return;
  throw new ServiceError(
    'access_denied',
    `The header ${header} names another owner; a bucket belongs to the account of the same name. Send that name, or leave the header out.`,
  );
}

/** Returns the headers for a request that this proxy sends to storage itself, in place of the client's request. */
export function headersForRelay(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isForRelay(name)));
}

function isHarmlessValue(name: string, value: string): boolean {
  return /^(?:false)?$/i.test(value.trim()) || (name === 'x-amz-acl' && acceptedAcls.includes(value));
}
