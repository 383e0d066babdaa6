import { hash } from 'node:crypto';
import { crc32 } from '../domain/crc.ts';
import type { EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { PresentedSignature } from '../sigv4/presented-signature.ts';

const literalHash = /^[0-9a-f]{64}$/;

/**
 * Returns the payload hash for the signature to storage. It is the hash that the client sent, because the edge function
 * never sees the body.
 *
 * Throws ServiceError `not_implemented` for a body in signed chunks. The client's key signed the chunks, and a function
 * that can change only headers cannot replace the signatures. In a deployment that can change bodies,
 * `decodeChunkSignedBody` runs first.
 */
export function forwardedPayloadHash(signature: PresentedSignature | undefined): string {
  const mode = signature?.payload_hash ?? 'UNSIGNED-PAYLOAD';
  if (mode === 'UNSIGNED-PAYLOAD' || mode === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' || literalHash.test(mode))
    return mode;
  if (mode.startsWith('STREAMING-')) throw signedChunksRefused();
  throw new ServiceError(
    'invalid_argument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a SHA-256 in lower-case hex.',
  );
}

export function signedChunksRefused(): ServiceError {
  return new ServiceError(
    'not_implemented',
    'Uploads in signed chunks are not supported; use https, or turn chunked encoding off in the client ' +
      '(Java: chunkedEncodingEnabled(false); minio-go: DisableContentSha256; .NET: UseChunkEncoding = false).',
  );
}

/**
 * Returns the complete body of a request that the edge function sends to storage itself. Throws `payload_too_large` and
 * `content_hash_mismatch`.
 */
export function relayedBody({ body }: EdgeRequest, signature: PresentedSignature | undefined): Uint8Array {
  if (body.truncated) {
    throw new ServiceError(
      'payload_too_large',
      'The request body must be less than 1 MB; send fewer keys or larger parts.',
    );
  }
  const mode = forwardedPayloadHash(signature);
  if (mode.startsWith('STREAMING-')) {
    throw new ServiceError('not_implemented', 'The body of this operation must be sent whole, not in chunks.');
  }
  checkPayloadHash(mode, body.bytes);
  return body.bytes;
}

/**
 * Checks the part of a forwarded body that the edge function can see. If only storage checked the body, clients would
 * not see the reason for a refusal. Throws `content_hash_mismatch` and the errors of `checkDigests`.
 */
export function checkForwardedBody(
  request: EdgeRequest,
  headers: HeaderFields,
  signature: PresentedSignature | undefined,
): void {
  const mode = signature?.payload_hash ?? '';
  const body = mode.startsWith('STREAMING-') ? undefined : findWholeBody(request);
  if (body !== undefined) checkPayloadHash(mode, body);
  checkDigests(headers, body);
}

function checkPayloadHash(mode: string, body: Uint8Array): void {
  if (!literalHash.test(mode) || hash('sha256', body, 'hex') === mode) return;
  throw new ServiceError(
    'content_hash_mismatch',
    'The body does not match the SHA-256 in x-amz-content-sha256; send it again.',
  );
}

interface Digest {
  lengthBytes: number;
  /**
   * Computes the digest of a complete body in base64. Undefined if Node does not support the algorithm; then only
   * storage can check the digest.
   */
  of?: (body: Uint8Array) => string;
}

const checksumHeader = /^x-amz-checksum-(?!algorithm$|mode$|type$)/;

/** The headers that contain a digest of the body (S3 user guide, "Checking object integrity"). */
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
 * Checks the digest headers before the proxy sends anything to storage. Checks their form and, if `body` is complete,
 * also their values. Throws a ServiceError:
 * - `invalid_digest`: Content-MD5 has the wrong form.
 * - `invalid_request`: a checksum has the wrong form, or there are several checksums.
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
 * Returns the body if the edge function sees all of it. Returns undefined for a chunked body, because its length is
 * unknown.
 */
function findWholeBody({ body, headers }: EdgeRequest): Uint8Array | undefined {
  return !body.truncated && headers['content-length'] === String(body.bytes.length) ? body.bytes : undefined;
}

/** Returns true when the headers contain a digest that only storage can check. This function does not read the body. */
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
  // The proxy does not know this digest algorithm, so storage must check the digest.
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
