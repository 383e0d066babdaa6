import * as z from 'zod';
import { identifierSchema, serviceAccountIdSchema, uuidSchema } from '../identifiers.ts';
import { keyStateSchema } from '../service-accounts/service-accounts.ts';
import { timestampSchema } from '../text.ts';

/** A key that a user created: of an account, of one of its repositories, or of a service account. */
export const createdKeySchema = z.object({
  kind: z.enum(['api_key', 'service_account_key']),
  access_key_id: z.string().optional(),
  repository_id: identifierSchema.optional(),
  service_account_id: serviceAccountIdSchema.optional(),
  key_id: uuidSchema.optional(),
  name: z.string(),
  state: keyStateSchema,
  expires_at: timestampSchema.nullable(),
  created_at: timestampSchema,
});
export type CreatedKey = z.infer<typeof createdKeySchema>;
