import type { HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';

/** What is passed on when a request is signed anew. A name that ends in `*` stands for all that start so. */
const forwardedHeaders = [
  'accept-encoding',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
  'expires',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
  'x-amz-checksum-*',
  'x-amz-copy-source-if-*',
  'x-amz-copy-source-range',
  'x-amz-copy-source-server-side-encryption-*',
  'x-amz-decoded-content-length',
  'x-amz-meta-*',
  'x-amz-metadata-directive',
  'x-amz-mp-object-size',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-server-side-encryption*',
  'x-amz-storage-class',
  'x-amz-tagging',
  'x-amz-tagging-directive',
  'x-amz-trailer',
];

/** Of a request's own authentication, or without a meaning here: neither passed on nor a reason to refuse. */
const consumedHeaders = [
  'x-amz-algorithm',
  'x-amz-content-sha256',
  'x-amz-copy-source',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-request-payer',
  'x-amz-security-token',
  'x-amz-signature',
  'x-amz-signedheaders',
  'x-amz-user-agent',
];

const acceptedAcls: readonly string[] = ['private', 'bucket-owner-full-control'];

const isForwarded = matcher(forwardedHeaders);
const isConsumed = matcher(consumedHeaders);

/** Without what belongs to a body that the platform streams, or to reading: wrong on a request that our code sends. */
const isForRelay = matcher([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'if-match',
  'if-none-match',
  'x-amz-*',
]);

/**
 * The client's headers for storage. Throws ServiceError `not_implemented` for any other `x-amz-` header of a signed
 * request: dropped, it would leave an upload without what its sender asked for. Of an anonymous one they are dropped,
 * as nobody vouches for them.
 */
export function headersForStorage(headers: HeaderFields, isSigned: boolean): HeaderFields {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (isForwarded(name)) kept[name] = value;
    else if (isSigned && name.startsWith('x-amz-') && !isConsumed(name) && !isHarmlessAcl(name, value)) {
      throw new ServiceError('not_implemented', `The header ${name} is not offered here; send the request without it.`);
    }
  }
  return kept;
}

/** Of those, the ones for a request that our code sends in place of the client's. */
export function headersForRelay(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isForRelay(name)));
}

function isHarmlessAcl(name: string, value: string): boolean {
  return name === 'x-amz-acl' && acceptedAcls.includes(value);
}

/** A test for header names by a list in which a trailing `*` stands for any rest. */
export function matcher(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const starts = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || starts.some((start) => name.startsWith(start));
}
