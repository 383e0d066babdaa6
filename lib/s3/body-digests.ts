import { hash } from 'node:crypto';

import { crc32 } from '../domain/crc32.ts';
import type { EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

interface Digest {
  lengthBytes: number;
  /** Base64 of a whole body's; absent where Node has none, so that storage alone can tell. */
  of?: (body: Uint8Array) => string;
}

const checksumHeader = /^x-amz-checksum-(?!algorithm$|mode$|type$)/;

/** What may say how a body is to be (S3 user guide, "Checking object integrity"). */
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
 * Checks what the headers say of a body, as far as it can be checked here. Throws ServiceError `invalid_digest`
 * (Content-MD5) or `invalid_request` (a checksum) for what cannot be a digest and for two checksums, before anything is
 * passed on; and, where `body` is known to be all of it, `bad_digest` for what is not this body's.
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

/** The body where the function holds all of it: of one that came in chunks nobody says how long it is. */
export function findWholeBody({ body, headers }: EdgeRequest): Uint8Array | undefined {
  return !body.truncated && headers['content-length'] === String(body.bytes.length) ? body.bytes : undefined;
}

/** Whether a digest in the headers was left for storage to compare: known from the headers, without the body. */
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
  // Of an algorithm that is not known here, storage says whether it knows it.
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
