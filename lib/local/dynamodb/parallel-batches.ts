import { createHash } from 'node:crypto';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { type BatchDelivery, deliverBatch } from './stream-batches.ts';

interface ParallelDelivery extends BatchDelivery {
  batchSizeMax: number;
  parallelizationFactor: number;
}

/** A reader that is this far ahead of the function waits. */
const queuedMax = 1000;

/**
 * Delivers a shard's records in several batches at once, as Lambda does with a parallelization factor. Records of one
 * item stay in order; those of different items may be reordered.
 */
export class ParallelBatches {
  readonly #delivery: ParallelDelivery;
  readonly #queues: DynamoDBRecord[][];
  readonly #working: (Promise<void> | undefined)[] = [];

  constructor(delivery: ParallelDelivery) {
    this.#delivery = delivery;
    this.#queues = Array.from({ length: delivery.parallelizationFactor }, () => []);
  }

  add(records: readonly DynamoDBRecord[]): void {
    for (const record of records) {
      const queue = queueOf(record.dynamodb?.Keys, this.#queues.length);
      this.#queues[queue]?.push(record);
      this.#working[queue] ??= this.#work(queue);
    }
  }

  /** Settles when every queue is short enough to read on. */
  async room(): Promise<void> {
    const full = () => this.#working.filter((_, queue) => (this.#queues[queue]?.length ?? 0) > queuedMax);
    while (full().length > 0 && !this.#delivery.signal.aborted) await Promise.race(full());
  }

  /** Settles when every record is delivered or given up, or when delivery stops. */
  async done(): Promise<void> {
    await Promise.all(this.#working);
  }

  async #work(queue: number): Promise<void> {
    const { batchSizeMax, signal } = this.#delivery;
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
