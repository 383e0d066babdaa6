import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { HeaderFields } from '../domain/data/decision.ts';
import { hashCanonicalRequest, type SignableRequest } from './canonical.ts';

export const algorithm = 'AWS4-HMAC-SHA256';

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

/** The scope of a signature. `date` is yyyymmdd. */
export interface CredentialScope {
  date: string;
  region: string;
  service: string;
}

/** An object with a secret access key. Derived keys are cached with the object. */
export interface SecretHolder {
  readonly secret_access_key: string;
}

const cachedScopesMax = 8;

// Derivation takes four HMACs, and a client signs with the same key all day. The cache entry lives as long as the
// holder.
const derivedKeys = new WeakMap<SecretHolder, Map<string, KeyObject>>();

export function formatScope({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`;
}

/** Signs a canonical request's hash and returns 32 bytes. `amzDate` is `yyyymmddThhmmssZ`. */
export function computeSignature(
  canonicalHash: string,
  amzDate: string,
  scope: CredentialScope,
  holder: SecretHolder,
): Buffer {
  return createHmac('sha256', signingKey(holder, scope))
    .update(`${algorithm}\n${amzDate}\n${formatScope(scope)}\n${canonicalHash}`)
    .digest();
}

/** Returns the cached signing key of a scope. */
export function signingKey(holder: SecretHolder, scope: CredentialScope): KeyObject {
  let keys = derivedKeys.get(holder);
  if (keys === undefined) {
    keys = new Map();
    derivedKeys.set(holder, keys);
  }
  const id = formatScope(scope);
  let key = keys.get(id);
  if (key === undefined) {
    // The client chooses the region, so the number of cached keys is limited.
    if (keys.size >= cachedScopesMax) keys.clear();
    key = deriveSigningKey(holder.secret_access_key, scope);
    keys.set(id, key);
  }
  return key;
}

function deriveSigningKey(secretAccessKey: string, { date, region, service }: CredentialScope): KeyObject {
  let key = Buffer.from(`AWS4${secretAccessKey}`, 'utf8');
  for (const part of [date, region, service, 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  return createSecretKey(key);
}
