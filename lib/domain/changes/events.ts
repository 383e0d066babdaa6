import { createHash } from 'node:crypto';
import * as z from 'zod';
import { accountTypeSchema } from '../accounts/accounts.ts';
import { membershipRoleSchema } from '../accounts/memberships.ts';
import { repositoryDataModeSchema } from '../data/repositories.ts';
import { parseServiceAccountId } from '../identifiers.ts';
import { pinnedIdsSchema } from '../service-accounts/trusted-workflows.ts';
import { timestampSchema } from '../text.ts';
import { toTimestamp } from '../time.ts';
import { type DeliveredChange, leakedApiKeyIn, pinnedWorkflowIn } from './table-changes.ts';

/** The account that receives the event: the owner of the changed resource. */
const account_id = z.string();
const serviceAccount = { account_id, service_account_id: z.string() };
const key = { ...serviceAccount, key_id: z.string(), label: z.string(), expires_at: timestampSchema.nullable() };
const apiKey = {
  account_id,
  repository_id: z.string().optional(),
  access_key_id: z.string(),
  name: z.string(),
  expires: timestampSchema,
};
const workflow = { ...serviceAccount, workflow_id: z.string(), issuer: z.string(), subject: z.string() };
const membership = {
  account_id,
  membership_id: z.string(),
  member_account_id: z.string(),
  repository_id: z.string().optional(),
  role: membershipRoleSchema,
};
const account = { account_id, account_type: accountTypeSchema };
const repository = { account_id, repository_id: z.string() };
const transfer = {
  account_id,
  transfer_id: z.string(),
  from_account_id: z.string(),
  repository_id: z.string(),
  to_account_id: z.string(),
};
const event = <Shape extends z.ZodRawShape>(description: string, shape: Shape) => z.object(shape).meta({ description });

/**
 * The events that a deployment can publish. An event has only the fields of its schema. No field contains a secret or
 * the hash of a secret.
 */
export const eventSchemas = {
  'key.revoked': event('A key of a service account was revoked; new exchanges with it are refused.', {
    ...key,
    revoked_at: timestampSchema,
  }),
  'key.found_in_public': event('A leaked key was reported and is revoked. `key.revoked` follows if it was active.', {
    ...key,
    revoked_at: timestampSchema,
    found_at: z.string().optional(),
  }),
  'key.expiring': event('A key of a service account expires within seven days.', key),
  'key.expired': event('A key of a service account expired; exchanges with it are refused since `expires_at`.', key),
  'api_key.revoked': event('An API key of an account or a repository was revoked.', apiKey),
  'api_key.found_in_public': event(
    'A leaked API key was reported and is revoked. `api_key.revoked` follows if it was active.',
    {
      ...apiKey,
      found_at: z.string().optional(),
    },
  ),
  'api_key.expiring': event('An API key of an account or a repository expires within seven days.', apiKey),
  'api_key.expired': event('An API key of an account or a repository expired at `expires`.', apiKey),
  'service_account.disabled': event(
    'A service account was disabled. Its keys, workflows, and issued credentials stop working.',
    serviceAccount,
  ),
  'service_account.enabled': event(
    'A service account was enabled. Its keys that are neither revoked nor expired work again.',
    serviceAccount,
  ),
  'service_account.deleted': event(
    'A service account was deleted. Its keys, workflows, grants, and issued credentials no longer work.',
    serviceAccount,
  ),
  'workflow.trusted': event('A service account trusts a new CI workflow.', workflow),
  'workflow.removed': event('A service account no longer trusts a CI workflow.', workflow),
  'workflow.pinned': event(
    'The first sign-in of a CI workflow pinned the numeric IDs of its repository and of the repository owner.',
    { ...workflow, pinned: pinnedIdsSchema },
  ),
  'membership.invited': event('An account was invited into an account or a repository.', membership),
  'membership.accepted': event('An invited account became a member.', membership),
  'membership.revoked': event('An invitation was rejected or withdrawn, or a membership ended.', membership),
  'membership.keys_left': event(
    'A member with usable keys left. List the keys by `created_by` and revoke those that are not needed.',
    { ...membership, keys: z.int() },
  ),
  'account.disabled': event('An account and everything that it owns was disabled.', account),
  'account.enabled': event('A disabled account was enabled again.', account),
  'account.deleted': event('An account was deleted permanently. Its ID is never reused.', account),
  'repository.disabled': event('A repository was disabled. All reads and writes are refused.', repository),
  'repository.data_mode_changed': event('The data mode of a repository changed.', {
    ...repository,
    data_mode: repositoryDataModeSchema,
  }),
  'repository.deleted': event('A repository was deleted permanently. Its objects stay in the storage.', repository),
  'repository.enabled': event('A disabled repository was enabled again.', repository),
  'transfer.offered': event('A transfer request for a repository was created. Both accounts get the event.', transfer),
  'transfer.accepted': event('The receiving account accepted a repository.', transfer),
  'transfer.declined': event('A transfer request was declined.', transfer),
  'transfer.withdrawn': event('A transfer request was withdrawn.', transfer),
  'transfer.ended': event(
    'A transfer request ended: it expired, or the repository or an account no longer exists.',
    transfer,
  ),
} as const;
export type EventType = keyof typeof eventSchemas;

/** A published event. Each delivery of the same change has the same `event_id`. `time` is the time of the change. */
export type ServiceEvent = {
  [Type in EventType]: { event_id: string; type: Type; time: string; detail: z.infer<(typeof eventSchemas)[Type]> };
}[EventType];

export interface EventPublisher {
  /**
   * Publishes events. Returns the IDs of the events that the event bus did not accept. Throws if the event bus accepted
   * no event.
   */
  publish(events: readonly ServiceEvent[]): Promise<ReadonlySet<string>>;
}

type Item = Record<string, unknown>;
type Step = (before: Item | undefined, after: Item | undefined) => boolean;

const disabled: Step = (before, after) => before?.['disabled'] === false && after?.['disabled'] === true;
const enabled: Step = (before, after) => before?.['disabled'] === true && after?.['disabled'] === false;
const revoked: Step = (before, after) =>
  before !== undefined && before['revoked_at'] === null && typeof after?.['revoked_at'] === 'string';
// Matches a key that a leak report revoked, and a new report of a revoked key. A new report matters because it contains
// a new URL.
const found: Step = (before, after) =>
  (revoked(before, after) && after?.['revoked_by'] === 'found') ||
  (after?.['found_at'] !== undefined && after['found_at'] !== before?.['found_at']);
const isDataModeChanged: Step = (before, after) =>
  before !== undefined && after !== undefined && before['data_mode'] !== after['data_mode'];
const reaches =
  (state: string): Step =>
  (before, after) =>
    after?.['state'] === state && before?.['state'] !== state;

/**
 * The two items of a transfer offer: one for the sending account, and one for the receiving account. Both items change
 * together.
 */
const offerSteps = (['transfer', 'incoming_transfer'] as const).flatMap((entity): [string, EventType, Step][] => [
  [entity, 'transfer.offered', (before, after) => before === undefined && after !== undefined],
  ...(['accepted', 'declined', 'withdrawn', 'ended'] as const).map((state): [string, EventType, Step] => [
    entity,
    `transfer.${state}`,
    (before, after) =>
      before?.['state'] === 'offered' && (after === undefined ? state === 'ended' : after['state'] === state),
  ]),
]);

const steps: readonly [entity: string, type: EventType, happened: Step][] = [
  ['service_account_key', 'key.revoked', revoked],
  ['service_account_key', 'key.found_in_public', found],
  ['api_key', 'api_key.revoked', disabled],
  ['api_key', 'api_key.found_in_public', (before, after) => leakedApiKeyIn(before, after) !== undefined],
  ['service_account', 'service_account.disabled', disabled],
  ['service_account', 'service_account.enabled', enabled],
  ['service_account', 'service_account.deleted', (_, after) => after === undefined],
  // A trusted workflow can be replaced: a new service account can have the name of a deleted one, and can replace a
  // workflow that the deleted account left.
  ['trusted_workflow', 'workflow.trusted', (before, after) => after !== undefined && isAnotherWorkflow(before, after)],
  ['trusted_workflow', 'workflow.removed', (before, after) => before !== undefined && isAnotherWorkflow(before, after)],
  ['trusted_workflow', 'workflow.pinned', (before, after) => pinnedWorkflowIn(before, after) !== undefined],
  ['membership', 'membership.invited', reaches('invited')],
  [
    'membership',
    'membership.accepted',
    // The first owner of an organization becomes a member without an invitation.
    (before, after) => (before ?? after?.['invitation_link_id']) !== undefined && reaches('member')(before, after),
  ],
  ['membership', 'membership.revoked', reaches('revoked')],
  ['account', 'account.disabled', disabled],
  ['account', 'account.enabled', enabled],
  ['deleted_account', 'account.deleted', (before, after) => before === undefined && after !== undefined],
  ['repository', 'repository.disabled', disabled],
  ['repository', 'repository.enabled', enabled],
  ['repository', 'repository.data_mode_changed', isDataModeChanged],
  ['deleted_repository', 'repository.deleted', (before, after) => before === undefined && after !== undefined],
  ...offerSteps,
];

const gone: ReadonlySet<EventType> = new Set(['service_account.deleted', 'workflow.removed']);

function isAnotherWorkflow(before: Item | undefined, after: Item | undefined): boolean {
  return before?.['workflow_id'] !== after?.['workflow_id'];
}

/**
 * Returns the events of a table change. Events about key expiry come from key-expiry.ts. Throws if an item lacks a
 * field that an event needs.
 */
export function eventsOf(change: DeliveredChange): ServiceEvent[] {
  const { before, after, changedAt } = change;
  const entity = (after ?? before)?.['entity'];
  return steps
    .filter(([kind, , happened]) => kind === entity && happened(before, after))
    .map(([, type]) => {
      const item = (gone.has(type) ? before : (after ?? before)) ?? {};
      return createEvent(type, item, { origin: change.changeId, time: changedAt });
    });
}

/**
 * Creates an event. The function derives the event ID from `type` and `origin`. `time` is in milliseconds since the
 * Unix epoch.
 */
export function createEvent(
  type: EventType,
  item: Item,
  { origin, time }: { origin: string; time: number },
): ServiceEvent {
  const event_id = createHash('sha256').update(`${type} ${origin}`, 'utf8').digest('hex').slice(0, 32);
  const detail = eventSchemas[type].parse({ ...item, ...namesOf(item) });
  return { event_id, type, time: toTimestamp(time), detail } as ServiceEvent;
}

/**
 * Returns an item whose account fields have the field names of events. Different item types name these fields
 * differently.
 */
function namesOf(item: Item): Item {
  const { entity, account_id, membership_account_id, service_account_id } = item;
  if (entity === 'transfer') return { from_account_id: account_id, to_account_id: item['to'] };
  if (entity === 'incoming_transfer')
    return { account_id: item['to'], from_account_id: account_id, to_account_id: item['to'] };
  if (entity === 'membership') return { account_id: membership_account_id, member_account_id: account_id };
  if (typeof service_account_id !== 'string') return {};
  return { account_id: parseServiceAccountId(service_account_id)?.owner_account_id };
}
