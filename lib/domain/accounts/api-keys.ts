import * as z from 'zod';
import type { OfRepository } from '../data/internal-ids.ts';
import { anyAccountIdSchema, identifierSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, timestampSchema } from '../text.ts';
import { parseTimestamp } from '../time.ts';

export const apiKeySchema = z.object({
  access_key_id: z.string(),
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema.optional(),
  disabled: z.boolean(),
  expires: timestampSchema,
  name: boundedText(limits.apiKeyNameLengthMax, 1),
  secret_access_key: z.string().optional(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** What is stored of a key: its secret is derived from the master secret of `secret_version`, never kept. */
export interface ApiKeyRecord extends Omit<ApiKey, 'secret_access_key'>, OfRepository {
  secret_version: number;
  created_at: string;
  /** SHA-256 of the secret; absent where an older release issued the key, until the migration has been there. */
  secret_hash?: string | undefined;
  /** What finders sent for a key without `secret_hash`, for the migration to compare. */
  reported_hashes?: ReadonlySet<string> | undefined;
}

export function isLiveApiKey(key: Pick<ApiKey, 'disabled' | 'expires'>, now: number): boolean {
  return !key.disabled && parseTimestamp(key.expires) > now;
}
