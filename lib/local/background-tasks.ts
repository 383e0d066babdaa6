import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { handler as followChanges } from '../../functions/streams/follow-changes.ts';
import { handler as invalidateCaches } from '../../functions/streams/invalidate-caches.ts';
import { handler as propagateAccessChange } from '../../functions/streams/propagate-access-change.ts';
import type { EventPublisher } from '../domain/changes/events.ts';
import { type Distribution, invalidationPaths, pageInvalidationPaths } from '../domain/changes/invalidations.ts';
import { isForConsumer, type StreamConsumerName, streamConsumers } from '../domain/changes/stream-consumers.ts';
import type { Clock } from '../domain/time.ts';
import { systemRandom } from '../lambda/random.ts';
import { openTable } from '../lambda/table.ts';
import { KeyExpiryMarkerStore } from '../store/api-keys/key-expiry-markers.ts';
import { RefusedSignInAudit } from '../store/refused-sign-in-audit.ts';
import { TableRevocationFeed } from '../store/revocation-feed.ts';
import { createStore } from '../store/store.ts';
import type { ObjectCache } from './cloudfront/cache/object-cache.ts';
import type { DynamoDbEndpoint } from './dynamodb/endpoint.ts';
import type { StreamHandler } from './dynamodb/stream-batches.ts';
import { type StreamDelivery, startStreamDelivery } from './dynamodb/stream-delivery.ts';
import { startTtlDeleter, type TtlDeleter } from './dynamodb/ttl.ts';
import { TtlLedger } from './dynamodb/ttl-ledger.ts';
import { type LocalInvalidationQueue, startInvalidationQueue } from './invalidation-queue.ts';
import { runningAs } from './running-function.ts';
import { startIndexBuilder } from './search-index.ts';
import type { LocalLogLine } from './service-options.ts';

interface BackgroundOptions {
  dynamodb: DynamoDbEndpoint;
  client: DynamoDBClient;
  table_name: string;
  stream_arn: string;
  clock: Clock;
  /** The caches that receive invalidations. */
  caches: { objects: ObjectCache; pages: ObjectCache };
  log: (line: LocalLogLine) => void;
}

/**
 * Starts what runs beside requests: the two stream consumers, the search index builder, and the deletion of expired
 * items.
 */
export function startBackground(
  { dynamodb, client, table_name, stream_arn, clock, caches, log }: BackgroundOptions,
  started: AsyncDisposableStack,
): { stream: StreamDelivery; ttl: TtlDeleter; invalidations: LocalInvalidationQueue } {
  const report = (source: string) => (failure: unknown) => log({ source, failure });
  const table = openTable(client, table_name);
  const ledger = new TtlLedger();
  started.use(startIndexBuilder({ store: createStore(table), clock, random: systemRandom }, report));
  const streams = new DynamoDBStreamsClient(dynamodb);
  started.defer(() => streams.destroy());
  const read = (name: StreamConsumerName, handler: StreamHandler) => {
    const delivery = startStreamDelivery({
      client: streams,
      stream_arn,
      handler: runningAs(name, handler),
      parallelizationFactor: streamConsumers[name].parallelizationFactor,
      isWanted: ({ dynamodb }) =>
        [dynamodb?.NewImage, dynamodb?.OldImage].some((image) =>
          isForConsumer(streamConsumers[name], image?.['entity']?.S),
        ),
      ledger,
      onPoison: (record, cause) =>
        report(name)(
          new Error(`The change ${record.dynamodb?.SequenceNumber} was given up after all attempts`, { cause }),
        ),
      onError: report(name),
    });
    started.defer(() => delivery.close());
    return delivery;
  };
  const invalidations = startInvalidationQueue(
    invalidateCaches.withServices({
      caches: {
        objects: { distribution: distributionOf(caches.objects), pathsOf: invalidationPaths(true) },
        pages: { distribution: distributionOf(caches.pages), pathsOf: pageInvalidationPaths },
      },
      clock,
      log: ({ failure }) => report('invalidate-caches')(failure),
    }),
    clock,
  );
  started.defer(() => invalidations.close());
  const readers = [
    read(
      'propagate-access-change',
      propagateAccessChange.withServices({
        feed: new TableRevocationFeed(table),
        invalidations,
        clock: clock,
        log: report('propagate-access-change'),
      }),
    ),
    read(
      'follow-changes',
      followChanges.withServices({
        store: createStore(table),
        refusedSignIns: new RefusedSignInAudit(table),
        expiryMarkers: new KeyExpiryMarkerStore(table),
        events: logEvents(log),
        clock: clock,
        log: report('follow-changes'),
      }),
    ),
  ];
  const ttl = startTtlDeleter({ client, table_name, clock, ledger, everyMs: 30_000, onError: report('ttl') });
  started.defer(() => ttl.close());
  const stream = {
    close: async () => {
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
  return { stream, ttl, invalidations };
}

function distributionOf(cache: ObjectCache): Distribution {
  return {
    listInvalidations: async () => cache.listInvalidations(),
    invalidate: async (paths) => cache.invalidate(paths),
  };
}

/** Writes events to the log; a deployment sends them to an event bus. */
function logEvents(log: (line: LocalLogLine) => void): EventPublisher {
  return {
    async publish(events) {
      for (const event of events) log({ source: 'event', failure: undefined, event });
      return new Set();
    },
  };
}
