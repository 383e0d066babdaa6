import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AttributeValue, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';

/**
 * A Lambda function that consumes a stream. If it throws, Lambda retries the whole batch. If it reports failed records,
 * Lambda retries from the first of them.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a stream function that reports nothing returns nothing.
export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined | void>;

export interface BatchDelivery {
  handler: StreamHandler;
  /** The number of attempts for one record before it is skipped. The default is 5. */
  triesMax?: number;
  /** The pause before the second attempt. It grows with each further attempt. The default is 50. */
  retryAfterMs?: number;
  /** The number of batches of one shard that run at the same time. The default is 1. */
  parallelizationFactor?: number;
  /** Called with a record that was skipped, and with the last error if the function threw one. */
  onPoison: (record: DynamoDBRecord, error: unknown) => void;
  signal: AbortSignal;
}

/**
 * Delivers records in order, in the same way as Lambda's event source mapping with reported failures and bisection.
 * After a reported failure, delivery continues from the first reported record. A batch in which the function throws is
 * split in two again and again, until the failing record is found. That record is skipped, so that it does not block
 * the others.
 */
export async function deliverBatch(records: readonly DynamoDBRecord[], delivery: BatchDelivery): Promise<void> {
  const { handler, triesMax = 5, retryAfterMs = 50, onPoison, signal } = delivery;
  let rest = records;
  let tries = 0;
  while (rest.length > 0 && !signal.aborted) {
    const { failedAt, reported, error } = await tryBatch(rest, handler);
    if (failedAt === undefined) return;
    if (failedAt > 0) tries = 0;
    rest = rest.slice(failedAt);
    tries += 1;
    if (tries < triesMax) {
      await wait(retryAfterMs * tries, undefined, { signal }).catch(() => {});
      continue;
    }
    const [first] = rest;
    if (rest.length > 1 && !reported) {
      const middle = Math.ceil(rest.length / 2);
      await deliverBatch(rest.slice(0, middle), delivery);
      rest = rest.slice(middle);
    } else if (first !== undefined) {
      onPoison(first, error);
      rest = rest.slice(1);
    }
    tries = 0;
  }
}

interface Attempt {
  /** The index of the first failed record. Undefined when no record failed. */
  failedAt: number | undefined;
  /** True when the function reported the failed record. False when the function threw an error. */
  reported: boolean;
  error?: unknown;
}

async function tryBatch(records: readonly DynamoDBRecord[], handler: StreamHandler): Promise<Attempt> {
  let failures: DynamoDBBatchResponse['batchItemFailures'];
  try {
    const answer = await handler({ Records: structuredClone([...records]) });
    failures = answer?.batchItemFailures ?? [];
  } catch (error) {
    return { failedAt: 0, reported: false, error };
  }
  if (failures.length === 0) return { failedAt: undefined, reported: false };
  const positions = failures.map(({ itemIdentifier }) =>
    records.findIndex((record) => record.dynamodb?.SequenceNumber === itemIdentifier),
  );
  // Like Lambda, treat the whole batch as failed if the function reports an ID that is not in the batch.
  if (positions.includes(-1)) return { failedAt: 0, reported: false };
  return { failedAt: Math.min(...positions), reported: true };
}

const batchSizeMax = 100;
/**
 * The number of queued records at which reading stops until the slow function has handled some of them. Below this
 * number, a slow function does not delay other functions.
 */
const queuedMax = 10_000;

/**
 * Delivers a shard's records in several batches at the same time, as Lambda does with a parallelization factor. Records
 * of one item are delivered in order. Records of different items may be reordered.
 */
export class ParallelBatches {
  readonly #delivery: BatchDelivery;
  readonly #queues: DynamoDBRecord[][];
  readonly #working: (Promise<void> | undefined)[] = [];

  constructor(delivery: BatchDelivery) {
    this.#delivery = delivery;
    this.#queues = Array.from({ length: delivery.parallelizationFactor ?? 1 }, () => []);
  }

  add(records: readonly DynamoDBRecord[]): void {
    for (const record of records) {
      const queue = queueOf(record.dynamodb?.Keys, this.#queues.length);
      this.#queues[queue]?.push(record);
      this.#working[queue] ??= this.#work(queue);
    }
  }

  /** Resolves when every queue of records is short enough to read more records. */
  async capacity(): Promise<void> {
    const full = () => this.#working.filter((_, queue) => (this.#queues[queue]?.length ?? 0) > queuedMax);
    while (full().length > 0 && !this.#delivery.signal.aborted) await Promise.race(full());
  }

  /** Resolves when every record was delivered or skipped, or when delivery stops. */
  async done(): Promise<void> {
    await Promise.all(this.#working);
  }

  async #work(queue: number): Promise<void> {
    const { signal } = this.#delivery;
    const records = this.#queues[queue] ?? [];
    // Wait until the caller has added all its records, so that the first batch contains them.
    await Promise.resolve();
    while (records.length > 0 && !signal.aborted) {
      await deliverBatch(records.splice(0, batchSizeMax), this.#delivery);
    }
    this.#working[queue] = undefined;
  }
}

/**
 * Returns the index of the queue for an item's key. All changes of one item get the same queue, so they stay in order.
 */
export function queueOf(key: Readonly<Record<string, AttributeValue>> | undefined, queues: number): number {
  const parts = Object.entries(key ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32BE() % queues;
}
