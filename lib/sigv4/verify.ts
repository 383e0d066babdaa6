import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { hashCanonicalRequest, type SignableRequest } from './canonical.ts';
import type { PresentedSignature } from './presented-signature.ts';
import { computeSignature, type SecretHolder } from './signing-key.ts';

const hashOfNothing = hash('sha256', '', 'hex');

export interface VerifyOptions {
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** The service the credential scope must name: `s3`, `sts`. */
  service: string;
  /** SHA-256 of the body in hex where the caller has read it; else `x-amz-content-sha256` counts. */
  payloadHash?: string;
  /** Every service but S3 resolves dot segments before signing. */
  normalizePath?: boolean;
}

/**
 * Proves that the holder of the secret signed this request. Any region is accepted. Order of refusal: scope
 * (`authorization_malformed`), signed headers (the same without `host`; `access_denied`, as S3 has it, for an `x-amz-`
 * header that is not signed), time (`request_time_skewed` for a header signature more than 15 minutes off,
 * `request_expired` for a presigned URL outside its life), then `signature_mismatch`.
 *
 * The payload is not looked at: with a literal hash, whoever reads the body must still compare it. A GET or HEAD without
 * `x-amz-content-sha256` counts as one that signed an empty body.
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
  // S3 wants the header always. A read has no body, so what curl's --aws-sigv4 signed without it is no question.
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
    // One that the client did not sign may have been added on the way, and signing anew would vouch for it.
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
