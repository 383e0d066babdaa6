import type { HeaderFields } from '../domain/data/decision.ts';
import { hashCanonicalRequest, type SignableRequest } from './canonical.ts';
import { algorithm, computeSignature, formatScope } from './signing-key.ts';

export interface SigningCredentials {
  access_key_id: string;
  secret_access_key: string;
  session_token?: string;
}

export interface SignOptions {
  /** Milliseconds since the Unix epoch. */
  now: number;
  region: string;
  service: string;
  /** SHA-256 of the body in hex, or the name of a payload mode such as `UNSIGNED-PAYLOAD`. */
  payloadHash: string;
  /** Headers that are signed but not returned, because CloudFront adds them later. */
  unsentHeaders?: HeaderFields;
}

/**
 * Signs a request (AWS Signature Version 4, header form) and returns all headers to send. `headers.host` is required.
 * The path is signed as for S3, so for other services it must already be normalized.
 */
export function signRequest(
  request: SignableRequest,
  credentials: SigningCredentials,
  { now, region, service, payloadHash, unsentHeaders = {} }: SignOptions,
): HeaderFields {
  const amzDate = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = { date: amzDate.slice(0, 8), region, service };
  const headers = {
    ...request.headers,
    'x-amz-date': amzDate,
    'x-amz-content-sha256': payloadHash,
    ...(credentials.session_token === undefined ? {} : { 'x-amz-security-token': credentials.session_token }),
  };
  const covered = { ...headers, ...unsentHeaders };
  const signedHeaders = Object.keys(covered).filter(isCovered).sort();
  const canonicalHash = hashCanonicalRequest(
    { ...request, headers: covered },
    { signedHeaders, payloadHash, normalizePath: false },
  );
  const signature = computeSignature(canonicalHash, amzDate, scope, credentials).toString('hex');
  const authorization = [
    `${algorithm} Credential=${credentials.access_key_id}/${formatScope(scope)}`,
    `SignedHeaders=${signedHeaders.join(';')}`,
    `Signature=${signature}`,
  ].join(', ');
  return { ...headers, authorization };
}

// Covers required headers and headers that describe the body. CloudFront changes others (Accept-Encoding, Range, Via,
// the framing of the body), which would break a signature over them.
function isCovered(name: string): boolean {
  return name === 'host' || name.startsWith('x-amz-') || (name.startsWith('content-') && name !== 'content-length');
}
