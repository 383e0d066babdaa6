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
  /** The time of the signature in milliseconds since the Unix epoch. */
  now: number;
  region: string;
  service: string;
  /** SHA-256 of the body in hex, or the name of a payload mode such as `UNSIGNED-PAYLOAD`. */
  payloadHash: string;
  /** Headers that the signature covers but the result does not contain, because CloudFront adds them later. */
  unsentHeaders?: HeaderFields;
}

/**
 * Signs a request (AWS Signature Version 4, header form) and returns all headers to send. `headers.host` is required.
 * The function signs the path unchanged, as for S3. For other services, the caller must normalize the path first.
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

// Returns true for headers that the signature covers: those that AWS requires, and those that describe the body. Other
// headers are excluded, because CloudFront changes some of them (Accept-Encoding, Range, Via, the framing of the
// body). A signature over them would fail.
function isCovered(name: string): boolean {
  return name === 'host' || name.startsWith('x-amz-') || (name.startsWith('content-') && name !== 'content-length');
}

/** The credential scope of a signature. `date` is yyyymmdd. */
export interface CredentialScope {
  date: string;
  region: string;
  service: string;
}

/** An object with a secret access key. The cache of derived signing keys uses this object as its key. */
export interface SecretHolder {
  readonly secret_access_key: string;
}

const cachedScopesMax = 8;

// A cache of derived signing keys. A derivation takes four HMACs, and a client can use the same key all day. An entry
// is removed together with its `SecretHolder`.
const derivedKeys = new WeakMap<SecretHolder, Map<string, KeyObject>>();

export function formatScope({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`;
}

/**
 * Signs the hash of a canonical request and returns the 32 bytes of the signature. `amzDate` is `yyyymmddThhmmssZ`.
 */
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

/** Returns the signing key of a credential scope, from the cache if possible. */
export function signingKey(holder: SecretHolder, scope: CredentialScope): KeyObject {
  let keys = derivedKeys.get(holder);
  if (keys === undefined) {
    keys = new Map();
    derivedKeys.set(holder, keys);
  }
  const id = formatScope(scope);
  let key = keys.get(id);
  if (key === undefined) {
    // Limit the number of cached keys, because the client chooses the region, which is part of the scope.
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
