import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export const algorithm = 'AWS4-HMAC-SHA256';

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

const scopesKeptMax = 8;

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
    if (keys.size >= scopesKeptMax) keys.clear();
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
