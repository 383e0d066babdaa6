import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AttributeValue, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';

/** A stream function. Lambda retries a batch when it throws, and retries from the first record that it reports. */
// biome-ignore lint/suspicious/noConfusingVoidType: a stream function that reports nothing returns nothing.
export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined | void>;

export interface BatchDelivery {
  handler: StreamHandler;
  /** Attempts for one record before it is given up. The default is 5. */
  triesMax?: number;
  /** The pause grows with each attempt. The default is 50. */
  retryAfterMs?: number;
  /** Batches of one shard in progress at once. The default is 1. */
  parallelizationFactor?: number;
  /** Receives a record that was given up, with the last error if there was one. */
  onPoison: (record: DynamoDBRecord, error: unknown) => void;
  signal: AbortSignal;
}

/**
 * Delivers records in order, as Lambda's event source mapping does with reported failures and bisection.
 *
 * Delivery continues from the first reported record. A batch that fails as a whole is bisected down to the failing
 * record, which is given up so that it does not block the others.
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
  /** Index of the first failed record. Undefined when none failed. */
  failedAt: number | undefined;
  /** True when the function reported the record, false when it failed as a whole. */
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
  // An identifier that is not in the batch fails the whole batch.
  if (positions.includes(-1)) return { failedAt: 0, reported: false };
  return { failedAt: Math.min(...positions), reported: true };
}

const batchSizeMax = 100;
/** A reader that is this far ahead of a function waits. Until then, a slow function does not delay others. */
const queuedMax = 10_000;

/**
 * Delivers a shard's records in several batches at once, as Lambda does with a parallelization factor. Records of one
 * item stay in order; those of different items may be reordered.
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

  /** Settles when every queue is short enough to read on. */
  async capacity(): Promise<void> {
    const full = () => this.#working.filter((_, queue) => (this.#queues[queue]?.length ?? 0) > queuedMax);
    while (full().length > 0 && !this.#delivery.signal.aborted) await Promise.race(full());
  }

  /** Settles when every record is delivered or given up, or when delivery stops. */
  async done(): Promise<void> {
    await Promise.all(this.#working);
  }

  async #work(queue: number): Promise<void> {
    const { signal } = this.#delivery;
    const records = this.#queues[queue] ?? [];
    // Records added in the same turn join the first batch.
    await Promise.resolve();
    while (records.length > 0 && !signal.aborted) {
      await deliverBatch(records.splice(0, batchSizeMax), this.#delivery);
    }
    this.#working[queue] = undefined;
  }
}

/** Returns the index of the queue for changes of the item with this key. */
export function queueOf(key: Readonly<Record<string, AttributeValue>> | undefined, queues: number): number {
  const parts = Object.entries(key ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32BE() % queues;
}
