import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { tableShape } from '../../store/table-shape.ts';

/**
 * The deletes that TTL made and the stream has not delivered yet. The engine's own stream records do not tell a TTL
 * delete from any other, DynamoDB's do.
 */
export class TtlLedger {
  readonly #deletes = new Set<string>();

  /** To be called before the delete is sent: its stream record may be there before its answer. */
  enter(key: Record<string, AttributeValue>): void {
    this.#deletes.add(nameOf(key));
  }

  withdraw(key: Record<string, AttributeValue>): void {
    this.#deletes.delete(nameOf(key));
  }

  /** Whether TTL deleted this item; true once for each delete. */
  takeDelete(key: Record<string, AttributeValue>): boolean {
    return this.#deletes.delete(nameOf(key));
  }
}

function nameOf(key: Record<string, AttributeValue>): string {
  return JSON.stringify([key[tableShape.partition_key]?.S, key[tableShape.sort_key]?.S]);
}
