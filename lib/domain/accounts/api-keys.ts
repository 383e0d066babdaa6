import * as z from 'zod';
import { ofRepository } from '../data/internal-ids.ts';
import { anyAccountIdSchema, identifierSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, timestampSchema } from '../text.ts';
import { parseTimestamp } from '../time.ts';
import { keyCreatorShape } from './key-creators.ts';

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
export const apiKeyRecord = apiKeySchema
  .omit({ secret_access_key: true, created_by: true, created_by_name: true, created_by_is_member: true })
  .extend({
    created_by: z.string().optional(),
    /** The internal ID of the owning service account. Absent for users and organizations, whose IDs are not reused. */
    account_uid: z.string().optional(),
    secret_version: z.int(),
    created_at: z.string(),
    /** SHA-256 of the secret. The public revocation compares it with the hash of the secret in the report. */
    secret_hash: z.string(),
    ...ofRepository,
  });
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

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
