import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { tableShape } from '../../store/table-shape.ts';

/** TTL deletes that one reader of the stream has not met yet. */
export interface TtlDeletes {
  /** Reports whether TTL deleted this item; true once for each delete. */
  take(key: Record<string, AttributeValue>): boolean;
}

/**
 * TTL deletes that readers of the stream have not met yet. DynamoDB marks TTL deletes in its stream records, and the
 * engine does not.
 */
export class TtlLedger {
  readonly #readers: Set<string>[] = [];

  /** Returns a view for one reader. Each reader meets each delete once. */
  openReader(): TtlDeletes {
    const deletes = new Set<string>();
    this.#readers.push(deletes);
    return { take: (key) => deletes.delete(nameOf(key)) };
  }

  /** Call before sending the delete: its stream record may arrive before its response. */
  enter(key: Record<string, AttributeValue>): void {
    for (const deletes of this.#readers) deletes.add(nameOf(key));
  }

  withdraw(key: Record<string, AttributeValue>): void {
    for (const deletes of this.#readers) deletes.delete(nameOf(key));
  }
}

function nameOf(key: Record<string, AttributeValue>): string {
  return JSON.stringify([key[tableShape.partitionKey]?.S, key[tableShape.sortKey]?.S]);
}
