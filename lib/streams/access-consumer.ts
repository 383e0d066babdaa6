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
  /** The queue of targets that are no longer public. The consumer writes to it after the feed. */
  invalidations: InvalidationQueue;
  endedSessions: Pick<EndedSessionStore, 'endLeaked'>;
  /** Counts targets that did not reach the queue. The consumer does not retry them, because cached responses expire. */
  measureLostInvalidations?(targets: number): void;
  clock: Clock;
  /** Receives the age of the oldest change in a batch, to the second, after the feed write. */
  measureFeedDelay?(milliseconds: number): void;
  log: StreamLog;
}

/**
 * Creates the stream consumer that reports revocations to warm instances. It writes one feed entry for a whole batch,
 * with each partition once, and then sends the invalidations to the queue. At last, it ends the sessions of leaked keys,
 * which changes their service accounts and therefore comes back to it. A revocation waits only for earlier revocations.
 * An unreadable record does not delay later records: the consumer reports it as failed after the feed write.
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
        // Lambda repeats all records from the first failed one.
        if (unreadable === undefined || Records.indexOf(record) < Records.indexOf(unreadable.record))
          unreadable = { record, failure };
        break;
      }
    }
    return unreadable === undefined ? everythingDone : failed(unreadable.record, unreadable.failure);
  };
}
