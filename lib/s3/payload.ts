import { hash } from 'node:crypto';
import type { EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import type { PresentedSignature } from '../sigv4/presented-signature.ts';
import { checkDigests, findWholeBody } from './body-digests.ts';

const literalHash = /^[0-9a-f]{64}$/;

/**
 * How the body of a forwarded request is signed for storage: as the client signed it, since our code never sees it.
 * Throws ServiceError `not_implemented` for bodies whose chunks are signed each: those signatures chain from the
 * client's key, and nothing that only changes headers can make them anew. Where they can be decoded, that comes first.
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

/** The body of a request that is relayed, whole and as it was signed. Throws `payload_too_large`, `content_hash_mismatch`. */
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
 * Checks a body that goes to storage as it came, as far as it can be seen here: storage's refusal of it comes back
 * without a word. Throws `content_hash_mismatch` and what `checkDigests` throws.
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
