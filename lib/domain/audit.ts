import * as z from 'zod';
import { timestampSchema } from './text.ts';

/** Who did what to which, written in the transaction of the change it tells of. Never holds a secret. */
export const auditEventSchema = z.object({
  event_id: z.string(),
  time: timestampSchema,
  /** `<thing>.<past tense>`, such as `repository.created`. */
  kind: z.string(),
  /** The account whose trail this belongs to. */
  account_id: z.string(),
  /** The account or the credential that acted; null for anyone who reports a found key. */
  actor: z.object({ account_id: z.string().nullable(), access_key_id: z.string().optional() }),
  /** What was changed, by the names its address has. */
  subject: z.record(z.string(), z.string()),
  request_id: z.string(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;
