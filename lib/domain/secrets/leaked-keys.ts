import { hashServiceAccountKey, isWellFormedServiceAccountKey } from '../service-accounts/service-account-key.ts';
import { hashApiKeySecret, isApiKeyId, isApiKeySecretShaped } from './api-key-secrets.ts';

/** A reported key: a service account key, or the ID and secret of an API key. */
export type ReportedText = string | { access_key_id: string; secret_access_key: string };

/** A leaked key in a form with which the table can find it. The form contains only hashes of secrets. */
export type LeakedKey =
  | { kind: 'service_account_key'; key_hash: string }
  | { kind: 'api_key'; access_key_id: string; secret_hash: string };

/**
 * Parses a reported key without a read from the table. Returns undefined if the text is not a well-formed key of this
 * service.
 */
export function parseLeakedKey(found: ReportedText): LeakedKey | undefined {
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

/**
 * Parses a match that GitHub secret scanning reports: a single key, or an ID and secret separated by white space, a
 * colon, or a comma.
 */
export function parseLeakedToken(token: string): LeakedKey | undefined {
  const [, access_key_id, secret_access_key] = /^([^\s:,]+)[\s:,]+([^\s:,]+)$/.exec(token.trim()) ?? [];
  return parseLeakedKey(
    access_key_id === undefined || secret_access_key === undefined ? token : { access_key_id, secret_access_key },
  );
}

export const malformedPairMessage =
  'API key is malformed; send access_key_id and secret_access_key as they were issued, copied whole';
