import { hash } from 'node:crypto';
import { crc32 } from '../domain/crc.ts';
import type { EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

interface Digest {
  lengthBytes: number;
  /**
   * Returns the base64 digest of a whole body. Absent if Node lacks the algorithm; then only storage can compare it.
   */
  of?: (body: Uint8Array) => string;
}

const checksumHeader = /^x-amz-checksum-(?!algorithm$|mode$|type$)/;

/** Headers that carry a digest of the body (S3 user guide, "Checking object integrity"). */
const digests: Readonly<Record<string, Digest>> = {
  'content-md5': { lengthBytes: 16, of: (body) => hash('md5', body, 'base64') },
  'x-amz-checksum-crc32': { lengthBytes: 4, of: crc32Of },
  'x-amz-checksum-crc32c': { lengthBytes: 4 },
  'x-amz-checksum-crc64nvme': { lengthBytes: 8 },
  'x-amz-checksum-md5': { lengthBytes: 16, of: (body) => hash('md5', body, 'base64') },
  'x-amz-checksum-sha1': { lengthBytes: 20, of: (body) => hash('sha1', body, 'base64') },
  'x-amz-checksum-sha256': { lengthBytes: 32, of: (body) => hash('sha256', body, 'base64') },
  'x-amz-checksum-sha512': { lengthBytes: 64, of: (body) => hash('sha512', body, 'base64') },
  'x-amz-checksum-xxhash128': { lengthBytes: 16 },
  'x-amz-checksum-xxhash3': { lengthBytes: 8 },
  'x-amz-checksum-xxhash64': { lengthBytes: 8 },
};

/**
 * Checks the form of digest headers and, if `body` is complete, their values. Runs before anything goes to storage.
 * Throws a ServiceError:
 * - `invalid_digest`: Content-MD5 has the wrong form.
 * - `invalid_request`: a checksum has the wrong form, or there is more than one.
 * - `bad_digest`: a digest does not match `body`.
 */
export function checkDigests(headers: HeaderFields, body: Uint8Array | undefined): void {
  const names = digestNames(headers);
  for (const name of names) checkForm(name, headers[name] ?? '');
  if (names.filter((name) => checksumHeader.test(name)).length > 1) {
    throw new ServiceError('invalid_request', 'Send a single x-amz-checksum- header: a body has one checksum.');
  }
  if (body === undefined) return;
  for (const name of names) {
    const right = digests[name]?.of?.(body);
    if (right === undefined || right === headers[name]) continue;
    throw new ServiceError('bad_digest', `The body does not match the digest in ${name}; send it again.`);
  }
}

/**
 * Returns the body if the function holds all of it. The length of a chunked body is unknown, so it returns undefined.
 */
export function findWholeBody({ body, headers }: EdgeRequest): Uint8Array | undefined {
  return !body.truncated && headers['content-length'] === String(body.bytes.length) ? body.bytes : undefined;
}

/** Returns true when only storage can compare a digest of the headers. Reads the headers only, not the body. */
export function isLeftToStorage(headers: HeaderFields): boolean {
  if (headers['x-amz-trailer'] !== undefined) return true;
  const isSeenHere = Number(headers['content-length']) <= limits.edgeBodyBytesMax;
  return digestNames(headers).some((name) => !isSeenHere || digests[name]?.of === undefined);
}

function digestNames(headers: HeaderFields): string[] {
  return Object.keys(headers).filter((name) => name === 'content-md5' || checksumHeader.test(name));
}

function checkForm(name: string, value: string): void {
  const digest = Object.hasOwn(digests, name) ? digests[name] : undefined;
  // Storage decides about algorithms that are unknown here.
  if (digest === undefined || isBase64Of(value, digest.lengthBytes)) return;
  if (name === 'content-md5') {
    throw new ServiceError('invalid_digest', 'Content-MD5 must be the base64 of 16 bytes; send the MD5 of the body.');
  }
  throw new ServiceError(
    'invalid_request',
    `${name} must be the base64 of ${digest.lengthBytes} bytes; send the checksum of the body, or none.`,
  );
}

function isBase64Of(value: string, lengthBytes: number): boolean {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === lengthBytes && bytes.toString('base64') === value;
}

function crc32Of(body: Uint8Array): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64');
}
