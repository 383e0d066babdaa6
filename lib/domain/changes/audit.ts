import * as z from 'zod';
import { shownNameSchema } from '../accounts/accounts.ts';
import { timestampSchema } from '../text.ts';

/**
 * The thing and what happened to it. Events are stored for 400 days and read back by these: none is renamed or taken away.
 */
export const auditKindSchema = z.enum([
  'account.created',
  'account.disabled',
  'account.enabled',
  'account.deleted',
  'account.flags_set',
  'account.repository_limit_set',
  'account.blocked',
  'account.unblocked',
  'profile.updated',
  'api_key.created',
  'api_key.revoked',
  'api_key.revoked_as_found',
  'api_key.found',
  'membership.invited',
  'membership.accepted',
  'membership.rejected',
  'membership.revoked',
  'membership.expired',
  'membership.role_changed',
  'membership.keys_left',
  'data_connection.created',
  'data_connection.updated',
  'data_connection.disabled',
  'data_connection.tested',
  'repository.created',
  'repository.updated',
  'repository.disabled',
  'repository.enabled',
  'repository.data_mode_changed',
  'repository.deleted',
  'transfer.offered',
  'transfer.accepted',
  'transfer.declined',
  'transfer.withdrawn',
  'transfer.ended',
  'service_account.created',
  'service_account.updated',
  'service_account.disabled',
  'service_account.enabled',
  'service_account.deleted',
  'service_account_key.issued',
  'service_account_key.expiry_changed',
  'service_account_key.revoked',
  'service_account_key.revoked_as_found',
  'service_account_key.found',
  'grant.set',
  'grant.removed',
  'workflow.trusted',
  'workflow.removed',
  'workflow.pinned',
  'sign_in.refused',
  'data_credentials.issued',
]);
export type AuditKind = z.infer<typeof auditKindSchema>;

/** Who did what to which, written in the transaction of the change it tells of. Never holds a secret. */
export const auditEventSchema = z.object({
  event_id: z.string(),
  time: timestampSchema,
  kind: auditKindSchema,
  /** The account whose trail this belongs to. */
  account_id: z.string(),
  /** The account or the credential that acted; null for a CI job and for anyone who reports a found key. */
  actor: z.object({
    account_id: z.string().nullable(),
    access_key_id: z.string().optional(),
    /** Where the flag `admin` alone allowed it. */
    acting_as: z.literal('platform_admin').optional(),
  }),
  /** What was changed, by the names in its path. */
  subject: z.record(z.string(), z.string()),
  request_id: z.string(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

/** As lists have it: with the name that the actor has now. */
export const listedAuditEventSchema = auditEventSchema.extend({
  actor: auditEventSchema.shape.actor.extend({ account_name: shownNameSchema }),
});
