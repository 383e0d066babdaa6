import * as z from 'zod';
import type { OfRepository } from '../data/internal-ids.ts';
import { anyAccountIdSchema, identifierSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, timestampSchema } from '../text.ts';
import { parseTimestamp } from '../time.ts';
import { type KeyCreator, keyCreatorShape } from './key-creators.ts';

export const apiKeySchema = z.object({
  access_key_id: z.string(),
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema.optional(),
  disabled: z.boolean(),
  expires: timestampSchema,
  name: boundedText(limits.apiKeyNameLengthMax, 1),
  ...keyCreatorShape,
  secret_access_key: z.string().optional(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** What is stored of a key: its secret is derived from the master secret of `secret_version`, never stored. */
export interface ApiKeyRecord extends Omit<ApiKey, 'secret_access_key' | keyof KeyCreator>, OfRepository {
  created_by?: string | undefined;
  /** The internal id of the service account that it is of; absent of people and organizations, whose IDs are given once. */
  account_uid?: string | undefined;
  secret_version: number;
  created_at: string;
  /** SHA-256 of the secret; absent where an older release issued the key, until the migration has been there. */
  secret_hash?: string | undefined;
  /** What finders sent for a key without `secret_hash`, for the migration to compare. */
  reported_hashes?: ReadonlySet<string> | undefined;
}

/**
 * A service account made anew under the ID of a deleted one has none of that one's keys. A key of an older release does
 * not say whose it is: it is of the present account unless it is older than that.
 */
export function isKeyOfAccount(
  { account_uid, created_at }: Pick<ApiKeyRecord, 'account_uid' | 'created_at'>,
  account: { uid?: string | undefined; created_at?: string | undefined },
): boolean {
  if (account.uid === undefined) return true;
  if (account_uid !== undefined) return account_uid === account.uid;
  return account.created_at === undefined || created_at >= account.created_at;
}

export function isLiveApiKey(key: Pick<ApiKey, 'disabled' | 'expires'>, now: number): boolean {
  return !key.disabled && parseTimestamp(key.expires) > now;
}
