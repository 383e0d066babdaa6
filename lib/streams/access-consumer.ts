import type { DynamoDBRecord } from 'aws-lambda';
import {
  type InvalidationQueue,
  type InvalidationTarget,
  invalidationTargetOf,
} from '../domain/changes/invalidations.ts';
import { bearsOnDataAccess, type FeedWriter } from '../domain/changes/revocation-feed.ts';
import type { DeliveredChange } from '../domain/changes/table-changes.ts';
import type { Clock } from '../domain/time.ts';
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
  /** Gets what closed to anyone, after the feed. */
  invalidations: InvalidationQueue;
  /** Counts targets that did not reach the queue. No batch waits for the queue, since cached answers age out. */
  measureLostInvalidations?(targets: number): void;
  clock: Clock;
  /** Told how old the oldest change of a batch was, to the second, when the feed had it. */
  measureFeedDelay?(milliseconds: number): void;
  log: StreamLog;
}

/**
 * Tells warm instances what they must forget: one entry of the feed for a whole batch, each partition once; and then the
 * queue of invalidations. It reads nothing and writes nothing else, so that no revocation waits for anything but those before it. A record that cannot be
 * read holds up none behind it: it is named as failed when the feed has the others.
 */
export function createAccessConsumer(services: AccessConsumerServices): StreamHandler {
  const { feed, invalidations, clock, measureFeedDelay, measureLostInvalidations, log } = services;
  return async ({ Records }) => {
    const failed = (record: DynamoDBRecord | undefined, failure: unknown) => {
      log({ sequence_number: sequenceNumberOf(record), failure });
      return failedFrom(record);
    };
    let unreadable: { record: DynamoDBRecord; failure: unknown } | undefined;
    const changes: DeliveredChange[] = [];
    for (const record of Records) {
      try {
        const change = changeFrom(record);
        if (bearsOnDataAccess(change)) changes.push(change);
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
    return unreadable === undefined ? everythingDone : failed(unreadable.record, unreadable.failure);
  };
}
