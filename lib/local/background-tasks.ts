import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { SQSRecord } from 'aws-lambda';
import { handler as followChanges } from '../../functions/streams/follow-changes.ts';
import { handler as invalidateCaches } from '../../functions/streams/invalidate-caches.ts';
import { handler as propagateAccessChange } from '../../functions/streams/propagate-access-change.ts';
import { handler as buildSearchIndex } from '../../functions/table/build-search-index.ts';
import { handler as refreshIssuerKeys } from '../../functions/table/refresh-issuer-keys.ts';
import { handler as runRepositoryJobs } from '../../functions/table/run-repository-jobs.ts';
import type { EventPublisher } from '../domain/changes/events.ts';
import {
  type Distribution,
  type InvalidationQueue,
  invalidationMessages,
  invalidationPaths,
  invalidationTiming,
  pageInvalidationPaths,
} from '../domain/changes/invalidations.ts';
import { isForConsumer, type StreamConsumerName, streamConsumers } from '../domain/changes/stream-consumers.ts';
import type { Clock } from '../domain/time.ts';
import type { FetchIssuerKeys } from '../issuers/fetch-keys.ts';
import { systemRandom } from '../lambda/random.ts';
import { openTable } from '../lambda/table.ts';
import type { RepositoryJobServices } from '../repository-jobs/run.ts';
import { KeyExpiryMarkerStore } from '../store/api-keys/key-expiry-markers.ts';
import { EndedSessionStore } from '../store/ended-sessions.ts';
import { RefusedSignInAudit } from '../store/refused-sign-in-audit.ts';
import { RepositoryJobStore } from '../store/repositories/repository-jobs.ts';
import { TableRevocationFeed } from '../store/revocation-feed.ts';
import { createStore } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import type { InvalidationsHandler } from '../streams/invalidations.ts';
import type { LocalAccessLog } from './access-log.ts';
import type { ObjectCache } from './cloudfront/cache/object-cache.ts';
import type { DynamoDbEndpoint } from './dynamodb/engine.ts';
import type { StreamHandler } from './dynamodb/stream-batches.ts';
import { type StreamConsumer, type StreamDelivery, startStreamDelivery } from './dynamodb/stream-delivery.ts';
import { startTtlDeleter, type TtlDeleter, TtlLedger } from './dynamodb/ttl.ts';
import { runningAs } from './functions.ts';
import type { LocalLogLine } from './service-options.ts';

interface BackgroundOptions {
  dynamodb: DynamoDbEndpoint;
  backgroundClient: DynamoDBClient;
  /** The table client of the functions that serve requests. */
  client: DynamoDBClient;
  table_name: string;
  stream_arn: string;
  clock: Clock;
  fetchIssuerKeys: FetchIssuerKeys;
  /** The secrets and roles with which the jobs that freeze and verify versions reach storage. */
  storageAccess: Pick<RepositoryJobServices, 'secrets' | 'roles'>;
  /** Minutes between two runs of the repository jobs. Undefined if no timer starts runs, as in tests. */
  repositoryJobsEveryMinutes: number | undefined;
  accessLog: Pick<LocalAccessLog, 'count'>;
  /** The two caches that receive invalidations. */
  caches: { objects: ObjectCache; pages: ObjectCache };
  log: (line: LocalLogLine) => void;
}

interface BackgroundTasks {
  stream: StreamDelivery;
  ttl: TtlDeleter;
  invalidations: LocalInvalidationQueue;
  issuerKeys: ScheduledFunction;
  repositoryJobs: ScheduledFunction;
  usage: ScheduledFunction;
  repositoryJobStore: RepositoryJobStore;
}

/**
 * Starts the background tasks: the two stream consumers, the scheduled functions, and the deletion of expired items.
 */
export function startBackground(options: BackgroundOptions, started: AsyncDisposableStack): BackgroundTasks {
  const { backgroundClient, table_name, clock, caches, fetchIssuerKeys } = options;
  const report = reporter(options);
  const table = openTable(backgroundClient, table_name);
  const ledger = new TtlLedger();
  const store = createStore(table);
  const builder = buildSearchIndex.withServices({ store, clock, random: systemRandom });
  void started.use(startSchedule('build-search-index', builder, 5, report)).run();
  const refresh = refreshIssuerKeys.withServices({ store, fetchIssuerKeys, clock });
  const issuerKeys = started.use(startSchedule('refresh-issuer-keys', refresh, 1, report));
  const repositoryJobStore = new RepositoryJobStore(table);
  const jobs = runRepositoryJobs.withServices({
    ...{ versions: store.repositoryVersions, jobs: repositoryJobStore, clock, ...options.storageAccess },
    readConnection: (id) => store.requestData.findDataConnection(id),
    pause: async (milliseconds) => void (await pause(milliseconds)),
    log: report('run-repository-jobs'),
  });
  const repositoryJobs = started.use(
    startSchedule('run-repository-jobs', jobs, options.repositoryJobsEveryMinutes, report),
  );
  const usage = started.use(
    startSchedule('count-usage', () => options.accessLog.count(), options.repositoryJobsEveryMinutes && 0.5, report),
  );
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
  const stream = startConsumers(options, { table, ledger, invalidations }, started);
  const ttl = startTtlDeleter({
    client: backgroundClient,
    table_name,
    clock,
    ledger,
    everyMs: 30_000,
    onError: report('ttl'),
  });
  started.defer(() => ttl.close());
  return { stream, ttl, invalidations, issuerKeys, repositoryJobs, repositoryJobStore, usage };
}

function reporter({ log }: BackgroundOptions) {
  return (source: string) => (failure: unknown) => log({ source, failure });
}

/** Starts the two consumers of the table's change stream. */
function startConsumers(
  options: BackgroundOptions,
  { table, ledger, invalidations }: { table: Table; ledger: TtlLedger; invalidations: InvalidationQueue },
  started: AsyncDisposableStack,
): StreamDelivery {
  const { dynamodb, backgroundClient, client, stream_arn, clock, log } = options;
  const report = reporter(options);
  const streams = new DynamoDBStreamsClient(dynamodb);
  started.defer(() => streams.destroy());
  const consumer = (name: StreamConsumerName, handler: StreamHandler): StreamConsumer => ({
    handler: runningAs(name, handler),
    parallelizationFactor: streamConsumers[name].parallelizationFactor,
    isWanted: ({ dynamodb }) =>
      [dynamodb?.NewImage, dynamodb?.OldImage].some((image) =>
        isForConsumer(streamConsumers[name], image?.['entity']?.S),
      ),
    onPoison: (record, cause) => {
      const change = `The change ${record.dynamodb?.SequenceNumber} was given up after all attempts`;
      report(name)(new Error(change, { cause }));
    },
  });
  const access = propagateAccessChange.withServices({
    feed: new TableRevocationFeed(table),
    endedSessions: new EndedSessionStore(table),
    invalidations,
    clock,
    log: report('propagate-access-change'),
  });
  const changes = followChanges.withServices({
    store: createStore(table),
    refusedSignIns: new RefusedSignInAudit(table),
    expiryMarkers: new KeyExpiryMarkerStore(table),
    events: logEvents(log),
    clock,
    log: report('follow-changes'),
  });
  const stream = startStreamDelivery({
    client: streams,
    stream_arn,
    consumers: [consumer('propagate-access-change', access), consumer('follow-changes', changes)],
    ledger,
    onError: report('stream'),
  });
  started.defer(() => stream.close());
  for (const writer of [backgroundClient, client]) wakeAfterWrites(writer, stream);
  return stream;
}

function wakeAfterWrites({ middlewareStack }: DynamoDBClient, stream: StreamDelivery): void {
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next(args);
        if (/Put|Update|Delete|Write/.test(commandName)) stream.wake();
        return result;
      },
    { step: 'initialize' },
  );
}

function distributionOf(cache: ObjectCache): Distribution {
  return {
    listInvalidations: async () => cache.listInvalidations(),
    invalidate: async (paths) => cache.invalidate(paths),
  };
}

/** Writes events to the log. In a deployment, they are sent to an event bus. */
function logEvents(log: (line: LocalLogLine) => void): EventPublisher {
  return {
    async publish(events) {
      for (const event of events) log({ source: 'event', failure: undefined, event });
      return new Set();
    },
  };
}

/** A function that a deployment runs on a schedule. Here, a timer of this process runs it. */
export interface ScheduledFunction extends AsyncDisposable {
  /** Runs the scheduled function now. If it fails, writes the error to the log. */
  run(): Promise<void>;
}

/** Runs a scheduled function at the same interval as a deployment does. */
function startSchedule(
  name: string,
  handler: (event: unknown) => Promise<void>,
  everyMinutes: number | undefined,
  report: (source: string) => (failure: unknown) => void,
): ScheduledFunction {
  const running = runningAs(name, handler);
  let last = Promise.resolve();
  const run = (): Promise<void> => {
    last = running(undefined).catch(report(name));
    return last;
  };
  const timer = everyMinutes === undefined ? undefined : setInterval(run, everyMinutes * 60_000);
  return {
    run,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await last;
    },
  };
}

export interface LocalInvalidationQueue extends InvalidationQueue {
  /**
   * Delivers all messages that are due, if the oldest message has waited for the batching window. Does nothing if it
   * has not.
   */
  deliverDue(): Promise<void>;
  close(): void;
}

const deliverEveryMs = 1000;

/**
 * Emulates the SQS queue and its batching. Each message waits for its delay. A message that fails is delivered again.
 */
export function startInvalidationQueue(handler: InvalidationsHandler, clock: Clock): LocalInvalidationQueue {
  let waiting: { id: number; sentAt: number; dueAt: number; body: string }[] = [];
  let sent = 0;
  let delivering: Promise<void> | undefined;

  async function deliver(): Promise<void> {
    const now = clock();
    const gathered = waiting.some(({ dueAt }) => dueAt + invalidationTiming.gatherSeconds * 1000 <= now);
    if (!gathered) return;
    const due = waiting.filter(({ dueAt }) => dueAt <= now);
    const Records = due.map(({ id, sentAt, body }) => {
      return { messageId: String(id), body, attributes: { SentTimestamp: String(sentAt) } } as SQSRecord;
    });
    const { batchItemFailures } = await handler({ Records });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    waiting = waiting.filter((message) => !due.includes(message) || failed.has(String(message.id)));
  }

  const queue: LocalInvalidationQueue = {
    async send(targets) {
      const sentAt = clock();
      for (const delaySeconds of [0, invalidationTiming.againAfterSeconds]) {
        for (const body of invalidationMessages(targets)) {
          sent += 1;
          waiting.push({ id: sent, sentAt, dueAt: sentAt + delaySeconds * 1000, body });
        }
      }
    },
    async deliverDue() {
      delivering ??= deliver().finally(() => {
        delivering = undefined;
      });
      await delivering;
    },
    close: () => clearInterval(timer),
  };
  const timer = setInterval(() => void queue.deliverDue(), deliverEveryMs);
  timer.unref();
  return queue;
}
