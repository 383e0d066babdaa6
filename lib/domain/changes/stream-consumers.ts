import { entitiesOfDataAccess } from '../data/cached-data.ts';
import { entitiesWithoutConsequence } from './table-changes.ts';

/** The kinds of items whose changes, including creation and deletion, invoke the consumer's function. */
type Entities = { only: readonly string[] } | { allBut: readonly string[] };

/** A reader of the table's stream with its own position, retries, and failures. */
export interface StreamConsumer {
  entities: Entities;
  /** Batches of a shard that run at the same time. Changes of different items have no order. */
  parallelizationFactor: number;
}

/** Kinds of items whose changes have one effect only: instances invalidate their cached authorization data. */
const entitiesOfDataAccessAlone = ['data_connection', 'grant', 'role'] as const;

/**
 * The stream consumers, by their functions. Revocations have their own consumer, so that floods and failures of the
 * other do not delay them (refused sign-ins, cleanup after deletions, an unavailable bus). A shard supports at most two
 * readers (DynamoDB guide, "Reading and processing a stream"). The second consumer therefore handles all other effects,
 * and new kinds of items by default.
 */
export const streamConsumers = {
  // A leaked key ends sessions if its service account says so.
  'propagate-access-change': {
    entities: { only: [...entitiesOfDataAccess, 'service_account_key'] },
    parallelizationFactor: 4,
  },
  'follow-changes': {
    entities: { allBut: [...entitiesWithoutConsequence, ...entitiesOfDataAccessAlone].sort() },
    parallelizationFactor: 4,
  },
} as const satisfies Record<string, StreamConsumer>;
export type StreamConsumerName = keyof typeof streamConsumers;

/** Returns true if the consumer handles this kind of item. An item without a kind is for no consumer. */
export function isForConsumer({ entities }: StreamConsumer, entity: unknown): boolean {
  if (typeof entity !== 'string') return false;
  return 'only' in entities ? entities.only.includes(entity) : !entities.allBut.includes(entity);
}
