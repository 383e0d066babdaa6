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
  /** SHA-256 of the secret. The public revocation compares it with the hash of the secret that it gets. */
  secret_hash: string;
}

/** Reports whether the key is the account's own, not that of a deleted service account of the same ID. */
export function isKeyOfAccount(
  { account_uid }: Pick<ApiKeyRecord, 'account_uid'>,
  { uid }: { uid?: string | undefined },
): boolean {
  return account_uid === uid;
}

export function isLiveApiKey(key: Pick<ApiKey, 'disabled' | 'expires'>, now: number): boolean {
  return !key.disabled && parseTimestamp(key.expires) > now;
}
