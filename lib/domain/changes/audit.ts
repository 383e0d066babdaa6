import * as z from 'zod';
import { shownNameSchema } from '../accounts/accounts.ts';
import { timestampSchema } from '../text.ts';

/** The resource and its change. Stored events are read with these names for 400 days, so no name may change. */
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

/** A change with its actor and its subject, written in the transaction of that change. Never contains a secret. */
export const auditEventSchema = z.object({
  event_id: z.string(),
  time: timestampSchema,
  kind: auditKindSchema,
  /** The account whose audit trail contains the event. */
  account_id: z.string(),
  /** The account or the credential that acted. Null for a CI job and for the sender of a leaked-key report. */
  actor: z.object({
    account_id: z.string().nullable(),
    access_key_id: z.string().optional(),
    /** Present if only the flag `admin` allowed the change. */
    acting_as: z.literal('platform_admin').optional(),
  }),
  /** The changed resource, by the names in its path. */
  subject: z.record(z.string(), z.string()),
  request_id: z.string(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

/** An event in list responses, with the current name of the actor. */
export const listedAuditEventSchema = auditEventSchema.extend({
  actor: auditEventSchema.shape.actor.extend({ account_name: shownNameSchema }),
});
