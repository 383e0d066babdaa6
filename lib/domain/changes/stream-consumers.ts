import { entitiesOfDataAccess } from '../data/cached-data.ts';
import { entitiesWithoutConsequence } from './table-changes.ts';

/** The item types whose creation, change, or deletion invokes the consumer's function. */
type Entities = { only: readonly string[] } | { allBut: readonly string[] };

/** A function that reads the table's stream, with its own position and its own retries. */
export interface StreamConsumer {
  entities: Entities;
  /** Number of batches of one shard that run at the same time. Changes of different items can run in any order. */
  parallelizationFactor: number;
}

/** Item types whose changes have only one effect: instances invalidate their cached authorization data. */
const entitiesOfDataAccessAlone = ['data_connection', 'grant', 'repository_version', 'role'] as const;

/**
 * The stream consumers, by the name of their function. Revocations have their own consumer. Otherwise floods and
 * failures of the other work could delay them: refused sign-ins, cleanup after deletions, or an unavailable event bus.
 *
 * A shard supports at most two readers (DynamoDB guide, "Reading and processing a stream"). The second consumer
 * therefore handles all other effects, and new item types by default.
 */
export const streamConsumers = {
  // Includes service account keys, because a leaked key also ends its sessions if the service account is set to do so.
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
