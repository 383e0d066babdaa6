import { createHash } from 'node:crypto';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { type BatchDelivery, deliverBatch } from './stream-batches.ts';

interface ParallelDelivery extends BatchDelivery {
  batchSizeMax: number;
  parallelizationFactor: number;
}

/** A reader that is so far ahead of the function waits. */
const queuedMax = 1000;

/**
 * Delivers the records of a shard in several batches at once, as Lambda does with a parallelization factor: those of one
 * item one after the other, those of different items in whatever order.
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

  /** Settles when everything has been delivered or given up, or delivery was stopped. */
  async done(): Promise<void> {
    await Promise.all(this.#working);
  }

  async #work(queue: number): Promise<void> {
    const { batchSizeMax, signal } = this.#delivery;
    const records = this.#queues[queue] ?? [];
    // What is added in the same turn goes into the first batch.
    await Promise.resolve();
    while (records.length > 0 && !signal.aborted) {
      await deliverBatch(records.splice(0, batchSizeMax), this.#delivery);
    }
    this.#working[queue] = undefined;
  }
}

/** Which of so many queues the changes of the item with this key go through. */
export function queueOf(key: Readonly<Record<string, AttributeValue>> | undefined, queues: number): number {
  const parts = Object.entries(key ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32BE() % queues;
}
