import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type TransferRecord, transferRecord } from '../data/transfers.ts';
import { parseServiceAccountId } from '../identifiers.ts';
import { endedSourceSchema } from '../service-accounts/ended-sessions.ts';
import { pinnedIdsSchema } from '../service-accounts/trusted-workflows.ts';
import { timestampSchema } from '../text.ts';
import { type AuditEvent, type AuditKind, eventWithoutActor } from './audit.ts';
import { signInEventOf } from './sign-ins.ts';

/**
 * An item before and after a change, from the table's stream. `before` is undefined for a creation, and `after` for a
 * deletion.
 */
export interface TableChange {
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}

/** A change from the table's stream. If the stream delivers the change twice, both deliveries have the same ID. */
export interface DeliveredChange extends TableChange {
  changeId: string;
  /** The time of the change in milliseconds since the Unix epoch, with a precision of one second. */
  changedAt: number;
  /** True if DynamoDB deleted the item because its time to live ended. */
  byTtl: boolean;
}

/** Item types whose changes have no effects. The filter of the table's stream excludes them. */
export const entitiesWithoutConsequence = [
  'accepted_count',
  'account_searches_tally',
  'accounts_created_tally',
  'audit_event',
  'blocked_account',
  'blocked_count',
  'cited_path',
  'closed_path',
  'connection_tests_tally',
  'doi_submissions_tally',
  'new_versions_tally',
  'data_connection_count',
  'data_connection_use',
  'data_credentials_tally',
  'deleted_data_connection',
  'deleting_path',
  'feed',
  'idempotency',
  'identity',
  'inventory',
  'inventory_requests_tally',
  'invitation_link',
  'invitation_link_uses_tally',
  'invitations_of_day',
  'invitations_to_one',
  'invited_revision',
  'issuer_registrations_tally',
  'link_uses_tally',
  'migration',
  'newest_api_keys',
  'open_invitation',
  'open_invitation_links',
  'open_links',
  'prefix',
  'refused_sign_in_cause',
  'refused_sign_in_source_tally',
  'refused_sign_in_tally',
  'registered_issuer',
  'registered_issuer_count',
  'reopenings_tally',
  'repository_count',
  'repository_version_count',
  'search_change',
  'search_index',
  'search_index_part',
  'service_account_count',
  'service_account_key_pointer',
  'service_account_key_use',
  'storage_bucket',
  'trusted_workflow_match',
  'repository_job',
  'version_verification',
] as const;

const revokedAsLeakedSchema = z.object({
  entity: z.literal('service_account_key'),
  key_id: z.string(),
  service_account_id: z.string(),
  revoked_at: z.string(),
  revoked_by: z.literal('found'),
});
const leakedKeySchema = revokedAsLeakedSchema.extend({
  service_account_uid: z.string(),
  found_time: z.string().optional(),
});

export type LeakedServiceAccountKey = z.infer<typeof leakedKeySchema>;

/**
 * Returns the service account key that a leak report revoked or, for a key that was already revoked, reported again.
 */
export function leakedServiceAccountKeyIn({ before, after }: TableChange): LeakedServiceAccountKey | undefined {
  const key = leakedKeySchema.safeParse(after).data;
  const earlier = leakedKeySchema.safeParse(before).data;
  return key === undefined || (earlier !== undefined && earlier.found_time === key.found_time) ? undefined : key;
}

const reportedLeakSchema = revokedAsLeakedSchema
  .omit({ revoked_at: true, revoked_by: true })
  .extend({ found_at: z.string(), found_time: z.string() });

/**
 * Returns the audit event for a change by a public function, because public functions cannot write to the audit trail.
 * If the stream delivers the change twice, both events are equal.
 */
export function auditEventOf({ before, after }: TableChange): AuditEvent | undefined {
  const signIn = signInEventOf(before, after);
  if (signIn !== undefined) return signIn;
  const pinned = pinnedWorkflowIn(before, after);
  if (pinned !== undefined) return pinEvent(pinned);
  const ended = endedSourceEvent(before, after);
  if (ended !== undefined) return ended;
  const firstUse = firstUseOfLink(before, after);
  if (firstUse !== undefined) return firstUse;
  const foundApiKey = leakedApiKeyIn(before, after);
  if (foundApiKey !== undefined) return foundApiKeyEvent(foundApiKey);
  const found = revokedAsLeakedSchema.safeParse(after).data;
  const location = reportedLeakSchema.safeParse(after).data;
  if (found !== undefined && !revokedAsLeakedSchema.safeParse(before).success) {
    const { key_id, revoked_at } = found;
    return leakEvent(key_id, 'service_account_key.revoked_as_found', found, revoked_at, location?.found_at);
  }
  // Record the URL of a leaked key for its owner, even if the key was revoked before.
  if (location === undefined || location.found_at === reportedLeakSchema.safeParse(before).data?.found_at)
    return undefined;
  const { key_id, found_time, found_at } = location;
  return leakEvent(`${key_id}-found`, 'service_account_key.found', location, found_time, found_at);
}

const usedLinkSchema = z.object({
  entity: z.literal('link'),
  link_id: z.string(),
  account_id: z.string(),
  repository_id: z.string(),
  last_used_at: timestampSchema,
});

/** Returns the audit event for the first exchange of a link for credentials. */
function firstUseOfLink(before: unknown, after: unknown): AuditEvent | undefined {
  const used = usedLinkSchema.safeParse(after).data;
  if (before === undefined || used === undefined || usedLinkSchema.safeParse(before).success) return undefined;
  const { link_id, account_id, repository_id, last_used_at: time } = used;
  const subject = { link_id, repository_id };
  return eventWithoutActor({ event_id: `${link_id}-used`, time, kind: 'link.first_used', account_id, subject });
}

const withSourcesSchema = z.object({
  entity: z.literal('service_account'),
  service_account_id: z.string(),
  owner_account_id: z.string(),
  ended_sources: z.array(endedSourceSchema).default([]),
});

/** Returns the audit event that all sessions of one key or one workflow ended. */
function endedSourceEvent(before: unknown, after: unknown): AuditEvent | undefined {
  const [was, is] = [withSourcesSchema.safeParse(before).data, withSourcesSchema.safeParse(after).data];
  const ended = is?.ended_sources.find(({ id }) => !was?.ended_sources.some((source) => source.id === id));
  if (is === undefined || ended === undefined) return undefined;
  const { service_account_id, owner_account_id: account_id } = is;
  return eventWithoutActor({
    event_id: `sessions-${ended.id}`,
    time: ended.ended_at,
    kind: 'service_account.sessions_ended',
    account_id,
    subject: { service_account_id, source_id: ended.id },
  });
}

function foundApiKeyEvent({ key, time, isRevoked }: LeakedApiKeyChange): AuditEvent {
  const { account_id, access_key_id, repository_id, found_at } = key;
  return eventWithoutActor({
    event_id: isRevoked ? access_key_id : `${access_key_id}-found`,
    time,
    kind: isRevoked ? 'api_key.revoked_as_found' : 'api_key.found',
    account_id,
    subject: {
      account_id,
      access_key_id,
      ...(repository_id === undefined ? {} : { repository_id }),
      ...(found_at === undefined ? {} : { found_at }),
    },
  });
}

function leakEvent(
  event_id: string,
  kind: AuditKind,
  { key_id, service_account_id }: { key_id: string; service_account_id: string },
  time: string,
  foundAt: string | undefined,
): AuditEvent | undefined {
  const owner = parseServiceAccountId(service_account_id)?.owner_account_id;
  if (owner === undefined) return undefined;
  return eventWithoutActor({
    event_id,
    time,
    kind,
    account_id: owner,
    subject: { service_account_id, key_id, ...(foundAt === undefined ? {} : { found_at: foundAt }) },
  });
}

/** Returns the repository that a change deleted or transferred. */
function endedRepositoryOf(before: unknown, after: unknown): EndedRepository | undefined {
  const deleted = deletedRepositorySchema.safeParse(after).data;
  if (deleted !== undefined && before === undefined) return deleted;
  const forwarded = forwardingSchema.safeParse(after).data;
  if (forwarded === undefined || forwarded.former_uid === forwardingSchema.safeParse(before).data?.former_uid)
    return undefined;
  const { account_id, repository_id, former_uid: uid } = forwarded;
  return { account_id, repository_id, uid };
}

const deletedAccountSchema = z.object({ entity: z.literal('deleted_account'), account_id: z.string() });
const deletedServiceAccountSchema = z.object({
  entity: z.literal('service_account'),
  uid: z.string(),
  service_account_id: z.string(),
});
const deletedKeySchema = z.object({
  entity: z.literal('service_account_key'),
  service_account_uid: z.string(),
  key_id: z.string(),
  key_hash: z.string(),
});

/** A repository that was deleted or transferred, with its old path. */
export interface EndedRepository {
  account_id: string;
  repository_id: string;
  uid: string;
}
const endedRepository = { account_id: z.string(), repository_id: z.string() };
const deletedRepositorySchema = z.object({
  entity: z.literal('deleted_repository'),
  ...endedRepository,
  uid: z.string(),
});
const forwardingSchema = z.object({
  entity: z.literal('repository_forwarding'),
  ...endedRepository,
  former_uid: z.string(),
});

/** The remaining data of a deleted resource. No other item references this data. */
export type Remains =
  | { kind: 'of_service_account'; uid: string; service_account_id: string }
  | { kind: 'of_key'; uid: string; key_id: string; key_hash: string }
  | { kind: 'of_repository'; repository: EndedRepository }
  | { kind: 'of_account'; account_id: string };

export function remainsOf({ before, after }: TableChange): Remains | undefined {
  const repository = endedRepositoryOf(before, after);
  if (repository !== undefined) return { kind: 'of_repository', repository };
  const ended = deletedAccountSchema.safeParse(after).data;
  if (ended !== undefined && before === undefined) return { kind: 'of_account', account_id: ended.account_id };
  if (after !== undefined) return undefined;
  const account = deletedServiceAccountSchema.safeParse(before).data;
  if (account !== undefined) {
    return { kind: 'of_service_account', uid: account.uid, service_account_id: account.service_account_id };
  }
  const key = deletedKeySchema.safeParse(before).data;
  if (key === undefined) return undefined;
  const { service_account_uid: uid, key_id, key_hash } = key;
  return { kind: 'of_key', uid, key_id, key_hash };
}

const openEntrySchema = z.object({
  entity: z.literal('membership_entry'),
  state: z.literal('invited'),
  membership_id: z.string(),
});

/**
 * Returns the ID of an invitation that expired: DynamoDB's time to live deleted it from the list of the invited
 * account.
 */
export function endedInvitationOf({ before, after, byTtl }: DeliveredChange): string | undefined {
  if (!byTtl || after !== undefined) return undefined;
  return openEntrySchema.safeParse(before).data?.membership_id;
}

const openTransferSchema = transferRecord.extend({ entity: z.literal('transfer'), state: z.literal('offered') });

/** Returns a transfer offer that expired: DynamoDB's time to live deleted it before the recipient answered. */
export function expiredTransferOf({ before, after, byTtl }: DeliveredChange): TransferRecord | undefined {
  if (!byTtl || after !== undefined) return undefined;
  return openTransferSchema.safeParse(before).data;
}

const repositoryDeletionSchema = z.object({
  entity: z.literal('repository_deletion'),
  account_id: z.string(),
  repository_id: z.string(),
  uid: z.string(),
});
/** A scheduled deletion of a repository. The `uid` distinguishes the repository from another one with the same path. */
export type RepositoryDeletion = z.infer<typeof repositoryDeletionSchema>;

/** Returns a scheduled deletion of a repository that is due now. */
export function dueDeletionOf({ before, after, byTtl }: DeliveredChange): RepositoryDeletion | undefined {
  if (!byTtl || after !== undefined) return undefined;
  return repositoryDeletionSchema.safeParse(before).data;
}

const accountSchema = z.object({ entity: z.literal('account'), account_id: z.string(), disabled: z.boolean() });

/** Returns the ID of an account that a change disabled or enabled. Its resources are then affected. */
export function accountWithChangedStatus({ before, after }: TableChange): string | undefined {
  const [was, is] = [accountSchema.safeParse(before).data, accountSchema.safeParse(after).data];
  return was !== undefined && is !== undefined && was.disabled !== is.disabled ? is.account_id : undefined;
}

const endedMembershipSchema = z.object({
  entity: z.literal('membership'),
  membership_id: z.string(),
  account_id: z.string(),
  membership_account_id: z.string(),
  repository_id: z.string().optional(),
  role: z.string(),
  state: z.literal('revoked'),
  // The partition of the list that contains the membership. Absent if the repository was deleted: its keys end with it,
  // so no event about them is needed.
  list_pk: z.string(),
  state_changed: timestampSchema,
});
type EndedMembership = z.infer<typeof endedMembershipSchema>;

/** Returns the membership that a change revoked. Returns undefined if the account was not a member before. */
export function endedMembershipOf({ before, after }: TableChange): EndedMembership | undefined {
  return before?.['state'] === 'member' ? endedMembershipSchema.safeParse(after).data : undefined;
}

/**
 * Creates the audit event about keys that a member created and that stay valid after the member left. The account's
 * owners see it. A repeated delivery creates the same event.
 */
export function keysLeftEvent(ended: EndedMembership, keys: number): AuditEvent {
  const { membership_id, account_id, membership_account_id, repository_id, state_changed } = ended;
  return eventWithoutActor({
    event_id: `${membership_id}-keys`,
    time: state_changed,
    kind: 'membership.keys_left',
    account_id: membership_account_id,
    subject: {
      membership_id,
      account_id,
      ...(repository_id === undefined ? {} : { repository_id }),
      keys: String(keys),
    },
  });
}

const apiKeySchema = z.object({
  entity: z.literal('api_key'),
  access_key_id: z.string(),
  account_id: z.string(),
  repository_id: z.string().optional(),
  disabled: z.boolean(),
  reported_at: z.string().optional(),
  found_at: z.string().optional(),
  found_time: z.string().optional(),
});

export interface LeakedApiKeyChange {
  key: z.infer<typeof apiKeySchema>;
  time: string;
  /** True if this report revoked the key. If the key was already revoked, the report only adds a URL. */
  isRevoked: boolean;
}

/**
 * Returns the API key that a leak report revoked or reported again. Only a report with the correct secret counts,
 * because anyone can invent a report.
 */
export function leakedApiKeyIn(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): LeakedApiKeyChange | undefined {
  const key = apiKeySchema.safeParse(after).data;
  const earlier = apiKeySchema.safeParse(before).data;
  if (key === undefined || earlier === undefined || !key.disabled) return undefined;
  if (!earlier.disabled && key.reported_at !== undefined && key.reported_at !== earlier.reported_at) {
    return { key, time: key.reported_at, isRevoked: true };
  }
  if (key.found_at !== undefined && key.found_time !== undefined && key.found_at !== earlier.found_at) {
    return { key, time: key.found_time, isRevoked: false };
  }
  return undefined;
}

const pinnedWorkflowSchema = z.object({
  entity: z.literal('trusted_workflow'),
  workflow_id: z.string(),
  service_account_id: z.string(),
  pinned: pinnedIdsSchema,
});
type PinnedWorkflow = z.infer<typeof pinnedWorkflowSchema>;

/**
 * Returns the trusted workflow if the change stored its numeric IDs (pinned it) for the first time, or stored different
 * IDs.
 */
export function pinnedWorkflowIn(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): PinnedWorkflow | undefined {
  const is = pinnedWorkflowSchema.safeParse(after).data;
  const was = pinnedWorkflowSchema.safeParse(before).data;
  // Ignore a new workflow that already has numeric IDs, because its owner entered them.
  if (is === undefined || before === undefined) return undefined;
  return was !== undefined && pinName(was) === pinName(is) ? undefined : is;
}

/**
 * Creates the audit event for a trusted workflow whose numeric IDs were stored (pinned). A repeated delivery creates
 * the same event.
 */
function pinEvent(workflow: PinnedWorkflow): AuditEvent | undefined {
  const { workflow_id, service_account_id, pinned } = workflow;
  const account_id = parseServiceAccountId(service_account_id)?.owner_account_id;
  if (account_id === undefined) return undefined;
  return eventWithoutActor({
    event_id: `pinned-${pinName(workflow)}`,
    time: pinned.pinned_at,
    kind: 'workflow.pinned',
    account_id,
    subject: {
      service_account_id,
      workflow_id,
      pinned_repository_id: pinned.repository_id,
      pinned_repository_owner_id: pinned.repository_owner_id,
    },
  });
}

/**
 * Returns a name that is different for each workflow and each pair of numeric IDs, so that no two workflows share an
 * event.
 */
function pinName({ workflow_id, pinned }: PinnedWorkflow): string {
  const text = JSON.stringify([workflow_id, pinned.repository_id, pinned.repository_owner_id]);
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 24);
}
