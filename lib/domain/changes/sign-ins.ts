import * as z from 'zod';
import { sessionRoles } from '../secrets/session-credentials.ts';
import { timestampSchema } from '../text.ts';
import type { AuditEvent } from './audit.ts';

const workflowSchema = z.object({ service_account_id: z.string(), workflow_id: z.string() });
export type SignInWorkflow = z.infer<typeof workflowSchema>;

/**
 * The stored record of an accepted sign-in. It has its own partition, because the public credential exchange may not
 * write to audit trails.
 */
export const signInSchema = z.object({
  account_id: z.string(),
  /** The start of the minute in which the sign-in happened. */
  time: timestampSchema,
  role: z.enum(sessionRoles),
  request_id: z.string(),
  /** The workflow that signed in. Absent for a user's tool. */
  workflow: workflowSchema.optional(),
});
export type SignInRecord = z.infer<typeof signInSchema>;

export const signInEntity = 'sign_in';

/** Returns the name of a sign-in. Sign-ins with the same name in the same minute create only one audit event. */
export function signInName({ role, workflow }: Pick<SignInRecord, 'role' | 'workflow'>): string {
  return `${workflow?.workflow_id ?? 'tool'}-${role}`;
}

/** Returns the audit event for a new sign-in record. Returns undefined for changes and deletions of a record. */
export function signInEventOf(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): AuditEvent | undefined {
  if (before !== undefined || after?.['entity'] !== signInEntity) return undefined;
  const signIn = signInSchema.parse(after);
  const { account_id, time, role, request_id, workflow } = signIn;
  return {
    event_id: signInName(signIn),
    time,
    kind: 'data_credentials.issued',
    account_id,
    actor: { account_id: workflow === undefined ? account_id : null },
    subject: { ...workflow, role, to: workflow === undefined ? 'tool' : 'workflow' },
    request_id,
  };
}
