import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import {
  type CacheName,
  cacheNames,
  countWildcards,
  type Distribution,
  exactLimits,
  type InvalidationTarget,
  invalidationTiming,
  type PathsOf,
  wholeAccounts,
} from '../domain/changes/invalidations.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';

const messageSchema = z.object({
  cache: z.enum(cacheNames),
  targets: z.array(z.object({ account_id: z.string(), repository_id: z.string().optional() })),
});

interface Message extends z.infer<typeof messageSchema> {
  messageId: string;
}

/** A CloudFront distribution, and the function that returns the paths to invalidate in it. */
export interface InvalidatedCache {
  distribution: Distribution;
  pathsOf: PathsOf;
}

export interface InvalidationsServices {
  caches: Readonly<Record<CacheName, InvalidatedCache>>;
  clock: Clock;
  log: (entry: { failure: unknown }) => void;
}

export type InvalidationsHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * Creates the handler of the invalidation queue. It combines the messages of a batch into one invalidation for each
 * cache. Messages stay in the queue if CloudFront's limits are reached or a call fails. A failure in one cache does
 * not repeat invalidations in the other.
 *
 * Messages that are older than the TTL of all cached responses are dropped. An unreadable message is retried alone.
 */
export function createInvalidationsHandler({ caches, clock, log }: InvalidationsServices): InvalidationsHandler {
  const invalidate = async (cache: InvalidatedCache, messages: readonly Message[]): Promise<readonly Message[]> => {
    if (messages.length === 0) return [];
    try {
      const taken = await invalidateWhatFits(cache, messages, clock());
      return messages.filter((message) => !taken.has(message));
    } catch (failure) {
      log({ failure });
      return messages;
    }
  };
  return async ({ Records }) => {
    const agedOutBefore = clock() - limits.readAuthorizationTtlSeconds * 1000;
    const due = Records.filter(({ attributes }) => Number(attributes.SentTimestamp) >= agedOutBefore);
    const read = due.map((record) => ({ record, message: messageOf(record, log) }));
    const messages = read.flatMap(({ message }) => message ?? []);
    const waiting = await Promise.all(
      cacheNames.map((name) =>
        invalidate(
          caches[name],
          messages.filter(({ cache }) => cache === name),
        ),
      ),
    );
    const unreadable = read.filter(({ message }) => message === undefined).map(({ record }) => record.messageId);
    const again = [...unreadable, ...waiting.flat().map(({ messageId }) => messageId)];
    return { batchItemFailures: again.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

/**
 * Starts an invalidation and returns the messages that it covers. Returns an empty set if CloudFront's limits are
 * reached.
 *
 * For an account above its hourly limit, the invalidation covers the whole account. It is added to an invalidation for
 * other accounts, or waits for the minimum interval, so that it uses no capacity of other accounts.
 */
async function invalidateWhatFits(
  { distribution, pathsOf }: InvalidatedCache,
  messages: readonly Message[],
  now: number,
): Promise<ReadonlySet<Message>> {
  const started = await distribution.listInvalidations();
  const exact = exactLimits(started, now);
  const running = started.filter(({ isCompleted }) => !isCompleted).flatMap(({ paths }) => paths);
  const free = invalidationTiming.wildcardsMax - countWildcards(running);
  const isExact = ({ account_id }: InvalidationTarget) => !exact.isReached && !exact.isReachedBy(account_id);
  const countOf = (message: Message) => Math.min(...message.targets.map(({ account_id }) => exact.countOf(account_id)));
  const taken = new Set<Message>();
  const targets: InvalidationTarget[] = [];
  // Handle accounts with few recent invalidations first, so that busy accounts cannot use up their capacity.
  for (const message of messages.toSorted((a, b) => countOf(a) - countOf(b))) {
    if (countWildcards(pathsOf(wholeAccounts([...targets, ...message.targets]))) > free) continue;
    targets.push(...message.targets);
    taken.add(message);
  }
  const isRecent = started.some(({ beganAt }) => beganAt > now - invalidationTiming.apartSeconds * 1000);
  if (taken.size === 0 || (isRecent && !targets.some(isExact))) return new Set();
  const precise = pathsOf(targets.flatMap((target) => (isExact(target) ? [target] : wholeAccounts([target]))));
  await distribution.invalidate(countWildcards(precise) <= free ? precise : pathsOf(wholeAccounts(targets)));
  return taken;
}

function messageOf({ messageId, body }: SQSRecord, log: InvalidationsServices['log']): Message | undefined {
  try {
    return { messageId, ...messageSchema.parse(JSON.parse(body)) };
  } catch (failure) {
    log({ failure });
    return undefined;
  }
}
