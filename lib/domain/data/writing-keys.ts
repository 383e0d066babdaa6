import * as z from 'zod';
import { createdKeySchema } from '../accounts/api-keys.ts';
import { limits } from '../limits.ts';
import { timestampSchema } from '../text.ts';

/**
 * An active key whose credentials can write in a repository now. They can no longer write when the repository becomes
 * federated-only.
 */
const writingKeySchema = createdKeySchema
  .omit({ state: true, created_at: true })
  .extend({ last_used_at: timestampSchema.nullable() });
export type WritingKey = z.infer<typeof writingKeySchema>;

export const writingKeysShape = {
  writing_keys: z.array(writingKeySchema).max(limits.writingKeysShownMax),
  /** True if the list of keys may be incomplete. */
  has_more: z.boolean(),
};
export type WritingKeys = z.infer<z.ZodObject<typeof writingKeysShape>>;
