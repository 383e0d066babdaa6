import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type EventPublisher, eventsOf, type ServiceEvent } from '../domain/changes/events.ts';
import { bearsOnDataAccess, type FeedWriter } from '../domain/changes/revocation-feed.ts';
import { auditEventOf, type DeliveredChange, remainsOf } from '../domain/changes/table-changes.ts';
import { dueMarkerOf, expiryEventOf, keyWithChangedExpiry } from '../domain/service-accounts/key-expiry.ts';
import { refusedSignInOf } from '../domain/service-accounts/refused-sign-ins.ts';
import type { Clock } from '../domain/time.ts';
import type { KeyExpiryMarkerStore } from '../store/key-expiry-markers.ts';
import type { Store } from '../store/store.ts';

export interface StreamServices {
  store: Pick<Store, 'auditEvents' | 'refusedSignIns' | 'serviceAccounts' | 'serviceAccountKeys'>;
  feed: FeedWriter;
  expiryMarkers: KeyExpiryMarkerStore;
  events: EventPublisher;
  now: Clock;
  /** Told how old the oldest change of a batch was, to the second, when the feed had it. */
  measureFeedDelay?(milliseconds: number): void;
  log(entry: { sequence_number: string; failure: unknown }): void;
}

type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/**
 * Carries on what changes of the table mean. First the feed, for the whole batch: a record that fails must not hold up
 * the revocations behind it. Then each record in its order as far as the first that fails, and last the events, ten at
 * a time. Lambda comes again from the first record that failed, so every step may run again for the same change.
 */
export function createStreamHandler(services: StreamServices): StreamHandler {
  return async ({ Records }) => {
    const failed = (record: DynamoDBRecord | undefined, failure: unknown) => {
      const itemIdentifier = sequenceNumberOf(record);
      services.log({ sequence_number: itemIdentifier, failure });
      return { batchItemFailures: [{ itemIdentifier }] };
    };
    try {
      await feedChanges(Records, services);
    } catch (failure) {
      return failed(Records[0], failure);
    }
    const told = new Map<string, DynamoDBRecord>();
    const events: ServiceEvent[] = [];
    let stopped: { record: DynamoDBRecord; failure: unknown } | undefined;
    for (const record of Records) {
      try {
        for (const event of await propagate(changeFrom(record), services)) {
          told.set(event.event_id, record);
          events.push(event);
        }
      } catch (failure) {
        stopped = { record, failure };
        break;
      }
    }
    const untold = await publishAll(events, services.events);
    // Events are in the order of their records, and all of records before the one that stopped this.
    if (untold !== undefined) return failed(told.get(untold.event_id), untold.failure);
    return stopped === undefined ? { batchItemFailures: [] } : failed(stopped.record, stopped.failure);
  };
}

export function streamFunction(
  deployed: () => StreamServices,
): StreamHandler & { withServices(services: StreamServices): StreamHandler } {
  let handler: StreamHandler | undefined;
  const entry: StreamHandler = (event) => {
    handler ??= createStreamHandler(deployed());
    return handler(event);
  };
  return Object.assign(entry, { withServices: createStreamHandler });
}

async function feedChanges(records: readonly DynamoDBRecord[], services: StreamServices): Promise<void> {
  const { feed, now, measureFeedDelay } = services;
  const changes = records.map(readableChange).filter((change) => change !== undefined && bearsOnDataAccess(change));
  const partitions = new Set(changes.map((change) => String((change?.after ?? change?.before)?.['pk'])));
  if (partitions.size === 0) return;
  await feed.append([...partitions], sequenceNumberOf(records[0]), now());
  measureFeedDelay?.(now() - Math.min(...changes.map((change) => change?.changed_at ?? now())));
}

/** Undefined for a record that cannot be read, which fails when its turn comes. */
function readableChange(record: DynamoDBRecord): DeliveredChange | undefined {
  try {
    return changeFrom(record);
  } catch {
    return undefined;
  }
}

async function propagate(change: DeliveredChange, services: StreamServices): Promise<ServiceEvent[]> {
  const { store, expiryMarkers, now } = services;
  const audit = auditEventOf(change);
  if (audit !== undefined) await store.auditEvents.record(audit);
  const refused = refusedSignInOf(change);
  if (refused !== undefined) await store.refusedSignIns.audit(refused);
  const remains = remainsOf(change);
  if (remains?.kind === 'of_service_account') await store.serviceAccounts.removeRemains(remains.uid);
  if (remains?.kind === 'of_key') await store.serviceAccountKeys.removePointer(remains.uid, remains.key_id);
  const changedKey = keyWithChangedExpiry(change);
  if (changedKey !== undefined) await expiryMarkers.follow(changedKey);
  const marker = dueMarkerOf(change);
  const expiry = marker && expiryEventOf(marker, await expiryMarkers.findKey(marker.key), now());
  return [...eventsOf(change), ...(expiry === undefined ? [] : [expiry])];
}

const publishedAtOnce = 10;

/** The first event that was not taken, if any. */
async function publishAll(
  events: readonly ServiceEvent[],
  publisher: EventPublisher,
): Promise<{ event_id: string; failure: unknown } | undefined> {
  for (let start = 0; start < events.length; start += publishedAtOnce) {
    const group = events.slice(start, start + publishedAtOnce);
    const [first] = group;
    try {
      const refused = await publisher.publish(group);
      const untold = group.find(({ event_id }) => refused.has(event_id));
      if (untold !== undefined) return { event_id: untold.event_id, failure: new Error('an event was not taken') };
    } catch (failure) {
      return { event_id: first?.event_id ?? '', failure };
    }
  }
  return undefined;
}

function changeFrom({ dynamodb, userIdentity, ...record }: DynamoDBRecord): DeliveredChange {
  const read = (image: unknown) =>
    image === undefined ? undefined : unmarshall(image as Record<string, AttributeValue>);
  return {
    change_id: sequenceNumberOf({ dynamodb, ...record }),
    changed_at: (dynamodb?.ApproximateCreationDateTime ?? 0) * 1000,
    // As DynamoDB signs what it deletes itself.
    by_ttl: userIdentity?.type === 'Service' && userIdentity.principalId === 'dynamodb.amazonaws.com',
    before: read(dynamodb?.OldImage),
    after: read(dynamodb?.NewImage),
  };
}

function sequenceNumberOf(record: DynamoDBRecord | undefined): string {
  return record?.dynamodb?.SequenceNumber ?? '';
}
