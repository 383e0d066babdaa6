import { hash } from 'node:crypto';
import type { EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import type { PresentedSignature } from '../sigv4/presented-signature.ts';
import { checkDigests, findWholeBody } from './body-digests.ts';

const literalHash = /^[0-9a-f]{64}$/;

/**
 * Returns the payload hash for the signature to storage. It is the client's value, because the function never sees the
 * body. Throws ServiceError `not_implemented` for bodies with signed chunks. Those signatures derive from the client's
 * key, and a function that changes headers only cannot replace them. `decodeChunkSignedBody` runs first where it can.
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

/** Returns the whole body of a relayed request. Throws `payload_too_large` and `content_hash_mismatch`. */
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
 * Checks the visible part of a body that is forwarded unchanged. Storage's own refusal arrives without its reason.
 * Throws `content_hash_mismatch` and the errors of `checkDigests`.
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
