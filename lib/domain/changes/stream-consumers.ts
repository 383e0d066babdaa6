import { entitiesOfDataAccess } from '../data/cached-data.ts';
import { entitiesWithoutConsequence } from './table-changes.ts';

/** The item types whose creation, change, or deletion invokes the function of a stream consumer. */
type Entities = { only: readonly string[] } | { allBut: readonly string[] };

/** A function that reads the table's stream. Each consumer has its own position in the stream and its own retries. */
export interface StreamConsumer {
  entities: Entities;
  /**
   * Number of batches of one shard that a stream consumer handles at the same time. Changes of different items can be
   * handled in any order.
   */
  parallelizationFactor: number;
}

/** Item types whose changes have only one effect: instances invalidate their cached authorization data. */
const entitiesOfDataAccessAlone = ['data_connection', 'grant', 'repository_version', 'role'] as const;

/**
 * The stream consumers, by the name of their function. Revocations have a consumer of their own, so that no other work
 * delays them, such as many refused sign-ins, cleanup after deletions, or an unavailable event bus.
 *
 * A shard supports at most two readers (DynamoDB guide, "Reading and processing a stream"). The second consumer
 * therefore handles all other effects, and new item types by default.
 */
export const streamConsumers = {
  // Includes service account keys. A leaked key can end the sessions that it started, if its service account has this
  // setting.
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

/** Returns true if the consumer handles this item type. No consumer handles an item without a type. */
export function isForConsumer({ entities }: StreamConsumer, entity: unknown): boolean {
  if (typeof entity !== 'string') return false;
  return 'only' in entities ? entities.only.includes(entity) : !entities.allBut.includes(entity);
}
