import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export const algorithm = 'AWS4-HMAC-SHA256';

/** What a signature is bound to besides the request. `date` is yyyymmdd. */
export interface CredentialScope {
  date: string;
  region: string;
  service: string;
}

/** What holds a secret access key, the same object for as long as it is remembered. */
export interface SecretHolder {
  readonly secret_access_key: string;
}

const scopesKeptMax = 8;

// Deriving takes four HMACs, and a client signs with one key all day. The keys go with whatever holds the secret.
const derivedKeys = new WeakMap<SecretHolder, Map<string, KeyObject>>();

export function formatScope({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`;
}

/** The 32 bytes of the signature over a canonical request's hash. `amzDate` is `yyyymmddThhmmssZ`. */
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

/** The key that signs within a scope, derived once and cached. */
export function signingKey(holder: SecretHolder, scope: CredentialScope): KeyObject {
  let keys = derivedKeys.get(holder);
  if (keys === undefined) {
    keys = new Map();
    derivedKeys.set(holder, keys);
  }
  const id = formatScope(scope);
  let key = keys.get(id);
  if (key === undefined) {
    // Whoever signs chooses the region: no more than a client has reason to sign for.
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
