import { hashServiceAccountKey, isWellFormedServiceAccountKey } from '../service-accounts/service-account-key.ts';
import { hashApiKeySecret, isApiKeyId, isApiKeySecretShaped } from './api-key-secrets.ts';

/** What a finder may send: a service-account key, or an API key as the pair that it is. */
export type FoundText = string | { access_key_id: string; secret_access_key: string };

/** A key that somebody found, as the table knows it. */
export type FoundKey =
  | { kind: 'service_account_key'; key_hash: string }
  | { kind: 'api_key'; access_key_id: string; secret_hash: string };

/** Undefined for what is no well-formed key of ours, which is told without a look at the table. */
export function parseFoundKey(found: FoundText): FoundKey | undefined {
  if (typeof found === 'string') {
    const key = found.trim();
    return isWellFormedServiceAccountKey(key)
      ? { kind: 'service_account_key', key_hash: hashServiceAccountKey(key) }
      : undefined;
  }
  const [access_key_id, secret] = [found.access_key_id.trim(), found.secret_access_key.trim()];
  return isApiKeyId(access_key_id) && isApiKeySecretShaped(secret)
    ? { kind: 'api_key', access_key_id, secret_hash: hashApiKeySecret(secret) }
    : undefined;
}

/** A match of a scanning partner: a key alone, or a pair with white space, a colon or a comma between its halves. */
export function parseFoundToken(token: string): FoundKey | undefined {
  const [, access_key_id, secret_access_key] = /^([^\s:,]+)[\s:,]+([^\s:,]+)$/.exec(token.trim()) ?? [];
  return parseFoundKey(
    access_key_id === undefined || secret_access_key === undefined ? token : { access_key_id, secret_access_key },
  );
}

export const malformedPairMessage =
  'API key is malformed; send access_key_id and secret_access_key as they were issued, copied whole';
