import * as z from 'zod';
import { shownNameSchema } from '../accounts/accounts.ts';
import { timestampSchema } from '../text.ts';

/**
 * The names of the changes that the audit trail records, by resource. The names are fixed, because events stay stored
 * for 400 days.
 */
const changes = {
  account: ['created', 'disabled', 'enabled', 'deleted', 'flags_set', 'repository_limit_set', 'blocked', 'unblocked'],
  profile: ['updated'],
  api_key: ['created', 'revoked', 'revoked_as_found', 'found'],
  membership: ['invited', 'accepted', 'rejected', 'revoked', 'expired', 'role_changed', 'keys_left'],
  invitation_link: ['created', 'revoked'],
  link: ['created', 'first_used', 'revoked'],
  data_connection: ['created', 'updated', 'disabled', 'enabled', 'tested', 'proved', 'demoted', 'failed', 'deleted'],
  repository: [
    'created',
    'updated',
    'disabled',
    'enabled',
    'data_mode_changed',
    'featured',
    'deletion_scheduled',
    'restored',
    'deleted',
    'inventory_requested',
  ],
  file_deletion: ['started', 'ended', 'stopped'],
  version: [
    'created',
    'ready',
    'failed',
    'withdrawn',
    'verification_started',
    'verified',
    'damaged',
    'verification_failed',
    'doi_changed',
    'doi_submitted',
  ],
  transfer: ['offered', 'accepted', 'declined', 'withdrawn', 'ended'],
  service_account: ['created', 'updated', 'disabled', 'enabled', 'deleted', 'sessions_ended'],
  service_account_key: ['issued', 'expiry_changed', 'revoked', 'revoked_as_found', 'found'],
  grant: ['set', 'removed'],
  workflow: ['trusted', 'removed', 'pinned'],
  issuer: ['registered', 'deleted'],
  sign_in: ['refused'],
  data_credentials: ['issued'],
} as const;
type Changes = typeof changes;
export type AuditKind = { [Resource in keyof Changes]: `${Resource}.${Changes[Resource][number]}` }[keyof Changes];
const auditKinds = Object.entries(changes).flatMap(([resource, names]) => names.map((name) => `${resource}.${name}`));
export const auditKindSchema = z.enum(auditKinds as AuditKind[]);

/**
 * One event of an audit trail: a change, the account that made it, and the changed resource. The change and its event
 * are written in one transaction. Events never contain a secret.
 */
export const auditEventSchema = z.object({
  event_id: z.string(),
  time: timestampSchema,
  kind: auditKindSchema,
  /** The account whose audit trail contains the event. */
  account_id: z.string(),
  /**
   * The account or the credential that made the change. Null for a CI job and for the sender of a leaked-key report.
   */
  actor: z.object({
    account_id: z.string().nullable(),
    access_key_id: z.string().optional(),
    /** Set to `platform_admin` if only the flag `admin` allowed the change. Otherwise absent. */
    acting_as: z.literal('platform_admin').optional(),
  }),
  /** The path parameters that identify the changed resource, such as `repository_id`. */
  subject: z.record(z.string(), z.string()),
  request_id: z.string(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

/** An event in list responses, with the actor's current display name. */
export const listedAuditEventSchema = auditEventSchema.extend({
  actor: auditEventSchema.shape.actor.extend({ account_name: shownNameSchema }),
});
export type ListedAuditEvent = z.infer<typeof listedAuditEventSchema>;

/** Creates an audit event for a change that neither a caller nor a request caused, such as an expiry. */
export function eventWithoutActor(event: Omit<AuditEvent, 'actor' | 'request_id'>): AuditEvent {
  return { ...event, actor: { account_id: null }, request_id: '' };
}
