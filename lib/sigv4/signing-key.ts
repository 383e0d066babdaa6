import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export const algorithm = 'AWS4-HMAC-SHA256';

/** What a signature is bound to besides the request. `date` is yyyymmdd. */
export interface CredentialScope {
  date: string;
  region: string;
  service: string;
}

const keysKeptMax = 1000;

// Deriving takes four HMACs, and a client signs with one key all day. Keys of the map are digests: it holds no secret.
const derivedKeys = new Map<string, KeyObject>();

export function formatScope({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`;
}

/** The 32 bytes of the signature over a canonical request's hash. `amzDate` is `yyyymmddThhmmssZ`. */
export function computeSignature(
  canonicalHash: string,
  amzDate: string,
  scope: CredentialScope,
  secretAccessKey: string,
): Buffer {
  return createHmac('sha256', signingKey(secretAccessKey, scope))
    .update(`${algorithm}\n${amzDate}\n${formatScope(scope)}\n${canonicalHash}`)
    .digest();
}

/** The key that signs within a scope, derived once and kept. */
export function signingKey(secretAccessKey: string, scope: CredentialScope): KeyObject {
  const id = hash('sha256', `${secretAccessKey}\n${formatScope(scope)}`, 'base64');
  const known = derivedKeys.get(id);
  if (known !== undefined) {
    // Put back at the end: the front of the map is what was used longest ago.
    derivedKeys.delete(id);
    derivedKeys.set(id, known);
    return known;
  }
  const key = deriveSigningKey(secretAccessKey, scope);
  derivedKeys.set(id, key);
  if (derivedKeys.size > keysKeptMax) {
    const [oldest] = derivedKeys.keys();
    if (oldest !== undefined) derivedKeys.delete(oldest);
  }
  return key;
}

function deriveSigningKey(secretAccessKey: string, { date, region, service }: CredentialScope): KeyObject {
  let key = Buffer.from(`AWS4${secretAccessKey}`, 'utf8');
  for (const part of [date, region, service, 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  return createSecretKey(key);
}
