import type { DynamoDBRecord } from 'aws-lambda';
import { createEvent, type EventPublisher, eventsOf, type ServiceEvent } from '../domain/changes/events.ts';
import { issuerChangeOf } from '../domain/changes/issuer-changes.ts';
import {
  accountWithChangedStatus,
  auditEventOf,
  type DeliveredChange,
  dueDeletionOf,
  endedInvitationOf,
  endedMembershipOf,
  expiredTransferOf,
  keysLeftEvent,
  remainsOf,
} from '../domain/changes/table-changes.ts';
import { firstFaultOfDay } from '../domain/data/storage-health.ts';
import { dueMarkerOf, expiryEventOf, keyWithChangedExpiry } from '../domain/service-accounts/key-expiry.ts';
import { type RefusedSignIn, refusedSignInOf } from '../domain/service-accounts/refused-sign-ins.ts';
import { type Clock, toTimestamp } from '../domain/time.ts';
import type { KeyExpiryMarkerStore } from '../store/api-keys/key-expiry-markers.ts';
import type { RefusedSignInAudit } from '../store/refused-sign-in-audit.ts';
import type { Store } from '../store/store.ts';
import { changedInCatalogue, recordInSearch } from './catalogue-changes.ts';
import {
  changeFrom,
  everythingDone,
  failedFrom,
  type StreamHandler,
  type StreamLog,
  sequenceNumberOf,
} from './stream-records.ts';

export interface ChangesConsumerServices {
  store: Pick<
    Store,
    | 'accountEnds'
    | 'auditEvents'
    | 'keyCreators'
    | 'memberships'
    | 'publicIndexKeys'
    | 'registeredIssuers'
    | 'repositoryEnds'
    | 'repositoryLists'
    | 'searchIndex'
    | 'serviceAccounts'
    | 'serviceAccountKeys'
    | 'storageHealth'
    | 'transfers'
    | 'trustedWorkflows'
  >;
  refusedSignIns: RefusedSignInAudit;
  expiryMarkers: KeyExpiryMarkerStore;
  events: EventPublisher;
  clock: Clock;
  log: StreamLog;
}

/**
 * Creates the stream consumer for all effects of changes except revocations. It handles the records in order, up to the
 * first failure. Then it handles refused sign-ins and catalogue changes in groups, and finally publishes events, ten at
 * a time. Lambda retries from the first failed record, so repeating any step must be harmless.
 */
export function createChangesConsumer(services: ChangesConsumerServices): StreamHandler {
  return async ({ Records }) => {
    let first: { position: number; failure: unknown } | undefined;
    const failed = (position: number, failure: unknown) => {
      if (first === undefined || position < first.position) first = { position, failure };
    };
    const refusals = new Map<RefusedSignIn, number>();
    const events = new Map<ServiceEvent, number>();
    const inCatalogue = new Map<string, { account_id: string; repository_id: string }>();
    for (const [position, record] of Records.entries()) {
      try {
        const change = changeFrom(record);
        const refused = refusedSignInOf(change);
        if (refused !== undefined) refusals.set(refused, position);
        const changed = changedInCatalogue(change);
        if (changed !== undefined) inCatalogue.set(`${changed.account_id}/${changed.repository_id}`, changed);
        for (const event of await propagate(change, services)) events.set(event, position);
      } catch (failure) {
        failed(position, failure);
        break;
      }
    }
    for (const { refused, failure } of await services.refusedSignIns.audit([...refusals.keys()]))
      failed(refusals.get(refused) ?? 0, failure);
    try {
      const { store, clock } = services;
      await recordInSearch([...inCatalogue.values()], store, sequenceNumberOf(Records[0]), clock());
    } catch (failure) {
      failed(0, failure);
    }
    const unpublished = await publishAll([...events.keys()], services.events);
    if (unpublished !== undefined) failed(events.get(unpublished.event) ?? 0, unpublished.failure);
    if (first === undefined) return everythingDone;
    const record: DynamoDBRecord | undefined = Records[first.position];
    services.log({ sequence_number: sequenceNumberOf(record), failure: first.failure });
    return failedFrom(record);
  };
}

async function propagate(change: DeliveredChange, services: ChangesConsumerServices): Promise<ServiceEvent[]> {
  const { store, expiryMarkers, clock } = services;
  const audit = auditEventOf(change);
  if (audit !== undefined) await store.auditEvents.record(audit);
  const fault = firstFaultOfDay(change);
  if (fault !== undefined) await store.storageHealth.audit(fault);
  const remains = remainsOf(change);
  if (remains?.kind === 'of_service_account') {
    await store.trustedWorkflows.removeRemains(remains.uid);
    await store.serviceAccounts.removeRemains(remains);
  }
  if (remains?.kind === 'of_key') await store.serviceAccountKeys.removeRemains(remains);
  if (remains?.kind === 'of_repository') {
    await store.repositoryEnds.removeRemains(remains.repository, toTimestamp(change.changedAt));
  }
  if (remains?.kind === 'of_account') {
    await store.accountEnds.removeRemains(remains.account_id, toTimestamp(change.changedAt));
  }
  const owner = accountWithChangedStatus(change);
  if (owner !== undefined) await store.publicIndexKeys.follow(owner);
  const ended = endedInvitationOf(change);
  if (ended !== undefined) await store.memberships.expire(ended, clock());
  const expired = expiredTransferOf(change);
  if (expired !== undefined) await store.transfers.recordExpiry(expired);
  const deletion = dueDeletionOf(change);
  if (deletion !== undefined) await store.repositoryEnds.deleteDue(deletion, clock());
  await followIssuer(change, services);
  const left = await leftKeys(change, services);
  const changedKey = keyWithChangedExpiry(change);
  if (changedKey !== undefined) await expiryMarkers.follow(changedKey);
  const marker = dueMarkerOf(change);
  const expiry = marker && expiryEventOf(marker, await expiryMarkers.findKey(marker.key), clock());
  return [...eventsOf(change), ...left, ...(expiry === undefined ? [] : [expiry])];
}

/**
 * Sets the time of a registered issuer's next fetch of keys. The consumer itself does not fetch, because a slow issuer
 * would delay other changes.
 */
async function followIssuer(
  change: DeliveredChange,
  { store, clock }: Pick<ChangesConsumerServices, 'store' | 'clock'>,
): Promise<void> {
  const changed = issuerChangeOf(change);
  if (changed?.kind === 'keys_missed') await store.registeredIssuers.fetchSoon(changed, clock());
  if (changed?.kind === 'used') await store.registeredIssuers.recordUse(changed, changed.time);
}

/**
 * Records an audit event about keys that stay valid after their creator left the account or repository. Users who
 * manage the account see it.
 */
async function leftKeys(
  change: DeliveredChange,
  { store, clock }: Pick<ChangesConsumerServices, 'store' | 'clock'>,
): Promise<ServiceEvent[]> {
  const ended = endedMembershipOf(change);
  if (ended === undefined) return [];
  const { account_id: created_by, membership_account_id: account_id, repository_id } = ended;
  const keys = await store.keyCreators.countLeft({ account_id, repository_id, created_by }, clock());
  if (keys === 0) return [];
  await store.auditEvents.record(keysLeftEvent(ended, keys));
  const origin = { origin: change.changeId, time: change.changedAt };
  return [createEvent('membership.keys_left', { ...ended, keys }, origin)];
}

const publishedAtOnce = 10;

/** Publishes the events. Returns the first event that the event bus refused, if any. */
async function publishAll(
  events: readonly ServiceEvent[],
  publisher: EventPublisher,
): Promise<{ event: ServiceEvent; failure: unknown } | undefined> {
  for (let start = 0; start < events.length; start += publishedAtOnce) {
    const group = events.slice(start, start + publishedAtOnce);
    const [first] = group;
    try {
      const refused = await publisher.publish(group);
      const event = group.find(({ event_id }) => refused.has(event_id));
      if (event !== undefined) return { event, failure: new Error('an event was not taken') };
    } catch (failure) {
      if (first !== undefined) return { event: first, failure };
    }
  }
  return undefined;
}
