import type { DynamoDBRecord } from 'aws-lambda';
import {
  type InvalidationQueue,
  type InvalidationTarget,
  invalidationTargetOf,
} from '../domain/changes/invalidations.ts';
import { bearsOnDataAccess, type FeedWriter } from '../domain/changes/revocation-feed.ts';
import {
  type DeliveredChange,
  type LeakedServiceAccountKey,
  leakedServiceAccountKeyIn,
} from '../domain/changes/table-changes.ts';
import type { Clock } from '../domain/time.ts';
import type { EndedSessionStore } from '../store/ended-sessions.ts';
import {
  changeFrom,
  everythingDone,
  failedFrom,
  type StreamHandler,
  type StreamLog,
  sequenceNumberOf,
} from './stream-records.ts';

export interface AccessConsumerServices {
  feed: FeedWriter;
  /**
   * The queue for repositories and accounts that are no longer public. The consumer writes to the queue after the
   * change feed.
   */
  invalidations: InvalidationQueue;
  endedSessions: Pick<EndedSessionStore, 'endLeaked'>;
  /**
   * Counts repositories and accounts that could not be written to the queue. The consumer does not retry them, because
   * cached responses expire soon.
   */
  measureLostInvalidations?(targets: number): void;
  clock: Clock;
  /** Called with the age of a batch's oldest change after the feed write. The precision is one second. */
  measureFeedDelay?(milliseconds: number): void;
  log: StreamLog;
}

/**
 * Creates the stream consumer that reports revocations to warm instances. For each batch, it writes one feed entry that
 * contains each changed partition once. Then it sends the invalidations to the queue. Finally, it ends the sessions of
 * leaked keys. This changes the service accounts, so the stream delivers these changes to this consumer as well.
 *
 * The consumer handles no other changes, so a revocation waits only for earlier revocations. An unreadable record does
 * not delay later ones: the consumer reports it as failed after the feed write.
 */
export function createAccessConsumer(services: AccessConsumerServices): StreamHandler {
  const { feed, invalidations, endedSessions, clock, measureFeedDelay, measureLostInvalidations, log } = services;
  return async ({ Records }) => {
    const failed = (record: DynamoDBRecord | undefined, failure: unknown) => {
      log({ sequence_number: sequenceNumberOf(record), failure });
      return failedFrom(record);
    };
    let unreadable: { record: DynamoDBRecord; failure: unknown } | undefined;
    const changes: DeliveredChange[] = [];
    const leaks: { record: DynamoDBRecord; key: LeakedServiceAccountKey }[] = [];
    for (const record of Records) {
      try {
        const change = changeFrom(record);
        if (bearsOnDataAccess(change)) changes.push(change);
        const key = leakedServiceAccountKeyIn(change);
        if (key !== undefined) leaks.push({ record, key });
      } catch (failure) {
        unreadable ??= { record, failure };
      }
    }
    const partitions = new Set(changes.map(({ before, after }) => String((after ?? before)?.['pk'])));
    if (partitions.size > 0) {
      try {
        await feed.append([...partitions], sequenceNumberOf(Records[0]), clock());
      } catch (failure) {
        return failed(Records[0], failure);
      }
      measureFeedDelay?.(clock() - Math.min(...changes.map(({ changedAt }) => changedAt)));
      const closed = changes
        .map(invalidationTargetOf)
        .filter((target): target is InvalidationTarget => target !== undefined);
      try {
        if (closed.length > 0) await invalidations.send(closed);
      } catch (failure) {
        log({ sequence_number: sequenceNumberOf(Records[0]), failure });
        measureLostInvalidations?.(closed.length);
      }
    }
    for (const { record, key } of leaks) {
      try {
        const { service_account_id, service_account_uid: uid, key_id } = key;
        await endedSessions.endLeaked({ service_account_id, uid, key_id }, clock());
      } catch (failure) {
        // Remember the first unreadable record, because Lambda retries all records from the first failed one.
        if (unreadable === undefined || Records.indexOf(record) < Records.indexOf(unreadable.record))
          unreadable = { record, failure };
        break;
      }
    }
    return unreadable === undefined ? everythingDone : failed(unreadable.record, unreadable.failure);
  };
}
