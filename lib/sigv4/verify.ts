import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { hashCanonicalRequest, type SignableRequest } from './canonical.ts';
import type { PresentedSignature } from './presented-signature.ts';
import { computeSignature, type SecretHolder } from './sign.ts';

const hashOfNothing = hash('sha256', '', 'hex');

export interface VerifyOptions {
  /** The current time in milliseconds since the Unix epoch. */
  now: number;
  /** The service that the credential scope must name: `s3` or `sts`. */
  service: string;
  /** The SHA-256 of the body in hex, if the caller has read the body. The default is `x-amz-content-sha256`. */
  payloadHash?: string;
  /** If true, resolves dot segments in the path. Every AWS service except S3 does this before signing. */
  normalizePath?: boolean;
}

/**
 * Verifies that the holder of the secret signed this request. Accepts any region. The checks run in this order, and
 * each has its own error:
 * - `authorization_malformed`: a wrong scope, or `host` is not signed.
 * - `access_denied`: an `x-amz-` header is not signed, as in S3.
 * - `request_time_skewed`: a header signature is more than 15 minutes off.
 * - `request_expired`: a presigned URL is outside its validity.
 * - `signature_mismatch`: the signature itself is wrong.
 *
 * The function does not check the body. If the request contains the hash of its body, the code that reads the body must
 * compare both. A GET or HEAD without `x-amz-content-sha256` counts as a request with an empty body.
 */
export function verifySignature(
  request: SignableRequest,
  presented: PresentedSignature,
  holder: SecretHolder,
  { now, service, payloadHash, normalizePath = service !== 's3' }: VerifyOptions,
): void {
  checkScope(presented, service);
  checkSignedHeaders(request, presented);
  checkTime(presented, now);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  // Accept a read without `x-amz-content-sha256`, because a read has no body. S3 always requires the header, but `curl
  // --aws-sigv4` does not send it.
  const signedPayload = payloadHash ?? presented.payload_hash ?? (isRead ? hashOfNothing : undefined);
  if (signedPayload === undefined) {
    throw new ServiceError(
      'authorization_malformed',
      'The signed request needs the header x-amz-content-sha256: the SHA-256 of the body, or UNSIGNED-PAYLOAD (for curl --aws-sigv4: -H "x-amz-content-sha256: UNSIGNED-PAYLOAD").',
    );
  }
  const canonicalHash = hashCanonicalRequest(request, {
    signedHeaders: presented.signed_headers,
    payloadHash: signedPayload,
    normalizePath,
  });
  const expected = computeSignature(canonicalHash, presented.amz_date, presented, holder);
  if (!timingSafeEqual(expected, Buffer.from(presented.signature, 'hex'))) {
    throw new ServiceError(
      'signature_mismatch',
      'The signature does not match the request; check the secret access key and that nothing changes the request on its way.',
    );
  }
}

function checkScope({ date, amz_date, service: scopeService }: PresentedSignature, service: string): void {
  if (!amz_date.startsWith(date)) {
    throw new ServiceError(
      'authorization_malformed',
      'The date of the credential scope must be the date in x-amz-date.',
    );
  }
  if (scopeService !== service) {
    throw new ServiceError('authorization_malformed', `The request must be signed for the service ${service}.`);
  }
}

function checkSignedHeaders({ headers }: SignableRequest, { signed_headers }: PresentedSignature): void {
  if (!signed_headers.includes('host')) {
    throw new ServiceError('authorization_malformed', 'The signature must cover the header host.');
  }
  for (const name of Object.keys(headers)) {
    // Reject an unsigned `x-amz-` header, because another party may have added it. The new signature for storage would
    // make it look genuine.
    if (name.startsWith('x-amz-') && !signed_headers.includes(name)) {
      throw new ServiceError('access_denied', 'Every x-amz- header that is sent must be among SignedHeaders.');
    }
  }
}

function checkTime({ timestamp, expires_seconds }: PresentedSignature, now: number): void {
  const freshnessMs = limits.signatureFreshnessSeconds * 1000;
  if (expires_seconds === undefined) {
    if (Math.abs(now - timestamp) > freshnessMs) {
      throw new ServiceError(
        'request_time_skewed',
        'The request was signed more than 15 minutes from the current time; set the clock and sign again.',
      );
    }
    return;
  }
  if (now > timestamp + expires_seconds * 1000) {
    throw new ServiceError('request_expired', 'The presigned URL has expired; ask for a new one.');
  }
  if (now < timestamp - freshnessMs) {
    throw new ServiceError(
      'request_expired',
      'The presigned URL is not valid yet; check the clock that it was made with.',
    );
  }
}
