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

/** Of a request's own authentication, or looked at by our code: neither passed on nor a reason to refuse. */
const consumedHeaders = [
  'x-amz-algorithm',
  'x-amz-content-sha256',
  'x-amz-copy-source',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expected-bucket-owner',
  'x-amz-expires',
  'x-amz-security-token',
  'x-amz-signature',
  'x-amz-signedheaders',
  'x-amz-source-expected-bucket-owner',
];

/**
 * What clients send without asking for anything that an answer here could lack. None of it is ever passed on: storage
 * would take `x-amz-te: append-md5`, which the AWS SDK for Java sends with every read, for a wish to have a digest
 * after the body.
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

const acceptedAcls: readonly string[] = ['private', 'bucket-owner-full-control'];

const isForwarded = matcher(forwardedHeaders);
/** Keys of customers among them: never sent for somebody who did not sign for it. */
const isOfEncryption = matcher(['x-amz-copy-source-server-side-encryption*', 'x-amz-server-side-encryption*']);
const isConsumed = matcher([...consumedHeaders, ...harmlessHeaders]);

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
 * The client's headers for storage. Any other `x-amz-` header is dropped from a GET or HEAD, where the worst that comes
 * of it is an answer without something. Of a request that writes or deletes it could be a condition, or tell how to
 * keep the object: throws ServiceError `not_implemented`. Of an anonymous one it is dropped, as nobody vouches for it.
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
    } else if (!mayDrop && name.startsWith('x-amz-') && !isConsumed(name) && !isHarmlessAcl(name, value)) {
      throw new ServiceError('not_implemented', `The header ${name} is not supported; send the request without it.`);
    }
  }
  return passedOn;
}

/**
 * Throws ServiceError `access_denied` where the client expects another owner than the account that it addresses. S3
 * compares the numbers of AWS accounts; here the owner is the account that the bucket is named after.
 *
 * @param header `x-amz-expected-bucket-owner`, or for the source of a copy `x-amz-source-expected-bucket-owner`
 */
export function checkExpectedOwner(header: string, expected: string | undefined, account_id: string): void {
  if (expected === undefined || expected === account_id) return;
  throw new ServiceError(
    'access_denied',
    `The header ${header} names another owner; a bucket belongs to the account of the same name. Send that name, or leave the header out.`,
  );
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
