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

/** A key as stored. Its secret is derived from the master secret of `secret_version` and is never stored. */
export interface ApiKeyRecord extends Omit<ApiKey, 'secret_access_key' | keyof KeyCreator>, OfRepository {
  created_by?: string | undefined;
  /** The internal ID of the owning service account. Absent for users and organizations, whose IDs are not reused. */
  account_uid?: string | undefined;
  secret_version: number;
  created_at: string;
  /** SHA-256 of the secret. The public revocation compares it with the hash of the secret in the report. */
  secret_hash: string;
}

/** Returns true if the key belongs to this account, not to a deleted service account with the same ID. */
export function isKeyOfAccount(
  { account_uid }: Pick<ApiKeyRecord, 'account_uid'>,
  { uid }: { uid?: string | undefined },
): boolean {
  return account_uid === uid;
}

export function isLiveApiKey(key: Pick<ApiKey, 'disabled' | 'expires'>, now: number): boolean {
  return !key.disabled && parseTimestamp(key.expires) > now;
}
