import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { tableShape } from '../../store/table-shape.ts';

/** What one reader of the stream has not met yet of the deletes that TTL made. */
export interface TtlDeletes {
  /** Whether TTL deleted this item; true once for each delete. */
  take(key: Record<string, AttributeValue>): boolean;
}

/**
 * The deletes that TTL made and readers of the stream have not met yet. The engine's own stream records do not tell a TTL
 * delete from any other, DynamoDB's do.
 */
export class TtlLedger {
  readonly #readers: Set<string>[] = [];

  /** For one reader, who meets each delete by itself. */
  openReader(): TtlDeletes {
    const deletes = new Set<string>();
    this.#readers.push(deletes);
    return { take: (key) => deletes.delete(nameOf(key)) };
  }

  /** To be called before the delete is sent: its stream record may be there before its answer. */
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
