import * as z from 'zod';
import { keyCreatorShape } from '../accounts/key-creators.ts';
import { ofRepository } from '../data/internal-ids.ts';
import { identifierSchema, serviceAccountIdSchema, uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, timestampSchema } from '../text.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../time.ts';
import { versioned } from '../versions.ts';
import { endedSourceSchema, endingShape } from './ended-sessions.ts';
import { shownRefusedSignInSchema } from './refused-sign-ins.ts';

export const serviceAccountSchema = z.object({
  service_account_id: serviceAccountIdSchema,
  owner_account_id: identifierSchema,
  name: identifierSchema,
  description: boundedText(limits.serviceAccountDescriptionLengthMax),
  disabled: z.boolean(),
  /**
   * True if the revocation of a key also ends the sessions that the key started. The same applies when a trusted
   * workflow is removed.
   */
  end_sessions_on_revocation: z.boolean().default(false),
  /** True if sessions that a key started may only read. Sessions of federated sign-ins may write. */
  federated_only: z.boolean().default(false),
  created_at: timestampSchema,
  /**
   * The last refused CI sign-in. Present only in the response for a single service account, for 30 days after the
   * refusal.
   */
  last_refused_sign_in: shownRefusedSignInSchema.optional(),
});
export type ServiceAccount = z.infer<typeof serviceAccountSchema>;

/**
 * A stored service account. All its rights refer to its random `uid`. A later service account with the same name has
 * another `uid`, so these rights do not apply to it.
 */
export const serviceAccountRecord = serviceAccountSchema.omit({ last_refused_sign_in: true }).extend({
  uid: z.string(),
  /**
   * The number of times that the service account was disabled. Issued credentials contain the number at their creation,
   * so they become invalid permanently when it grows. Responses never contain it.
   */
  times_disabled: z.int().default(0),
  /** The keys and workflows whose sessions the data proxy refuses. */
  ended_sources: z.array(endedSourceSchema).max(limits.endedSourcesMax).default([]),
  ...versioned,
});
export type ServiceAccountRecord = z.infer<typeof serviceAccountRecord>;

export const keyExpirySchema = z.enum(['30d', '90d', '1y', 'never']);
export type KeyExpiry = z.infer<typeof keyExpirySchema>;

const expiryDays: Record<KeyExpiry, number | null> = { '30d': 30, '90d': 90, '1y': 365, never: null };

/** Returns the expiry of a key that is created now, or null if it never expires. */
export function expiryFrom(expiry: KeyExpiry, now: number): string | null {
  const days = expiryDays[expiry];
  return days === null ? null : toTimestamp(now + days * dayMs);
}

export const keyStateSchema = z.enum(['active', 'revoked', 'expired']);
export type KeyState = z.infer<typeof keyStateSchema>;

export const serviceAccountKeySchema = z.object({
  key_id: uuidSchema,
  label: boundedText(limits.serviceAccountKeyLabelLengthMax, 1),
  state: keyStateSchema,
  expires_at: timestampSchema.nullable(),
  last_used_at: timestampSchema.nullable(),
  created_at: timestampSchema,
  newer_key_in_use: z.boolean(),
  ...keyCreatorShape,
  /** The report of a leak. Present in lists for a key that was revoked because it leaked. */
  leak: z
    .object({
      reported_at: timestampSchema,
      url: z.string().nullable(),
      writable_repositories: z.array(identifierSchema).max(limits.leakedKeyRepositoriesMax),
      has_more: z.boolean(),
    })
    .optional(),
  key: z.string().optional(),
  /** The sessions that the revocation ended. Present only in the response to a revocation. */
  sessions_ended: endingShape.sessions_ended.optional(),
  warning: endingShape.warning,
});
export type ServiceAccountKey = z.infer<typeof serviceAccountKeySchema>;

/** A stored service account key. The record contains the key's SHA-256 and history, but never the key itself. */
export const serviceAccountKeyRecord = z.object({
  key_hash: z.string(),
  key_id: z.string(),
  service_account_id: z.string(),
  service_account_uid: z.string(),
  label: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string().optional(),
  revoked_by: z.literal('found').optional(),
  found_at: z.string().optional(),
});
export type ServiceAccountKeyRecord = z.infer<typeof serviceAccountKeyRecord>;

/**
 * Returns the state of a key, which the table does not store. A revoked key has the state `revoked`, even after its
 * expiry.
 */
export function keyState(key: Pick<ServiceAccountKeyRecord, 'revoked_at' | 'expires_at'>, now: number): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && parseTimestamp(key.expires_at) <= now ? 'expired' : 'active';
}

export const grantAccessSchema = z.enum(['read', 'read_write']);
export type GrantAccess = z.infer<typeof grantAccessSchema>;

export const grantSchema = z.object({ repository_id: identifierSchema, access: grantAccessSchema });
export type Grant = z.infer<typeof grantSchema>;

/** A grant in list responses. The title is null if the repository was deleted, until the service deletes the grant. */
export const listedGrantSchema = grantSchema.extend({ repository_title: z.string().nullable() });

export const grantRecord = grantSchema.extend(ofRepository);
export type GrantRecord = z.infer<typeof grantRecord>;
