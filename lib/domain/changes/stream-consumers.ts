import { entitiesOfDataAccess } from '../data/cached-data.ts';
import { entitiesWithoutConsequence } from './table-changes.ts';

/** The kinds of items whose changes wake a lane's function, new or gone. */
type Entities = { only: readonly string[] } | { allBut: readonly string[] };

/** One reader of the table's stream, with a position, tries and failures of its own. */
export interface StreamConsumer {
  entities: Entities;
  /**
   * How many batches of a shard are worked on at once. Changes of one item stay in their order, those of different items
   * do not, so nothing that a lane's function does may rest on that.
   */
  parallelizationFactor: number;
}

/** Kinds of items from whose changes nothing follows but that instances forget what they know. */
const entitiesOfDataAccessAlone = ['data_connection', 'grant', 'role'] as const;

/**
 * The readers of the stream, by their functions. Revocations have one of their own: whatever floods or holds up the other
 * (refused sign-ins, the removal of what a deletion left, a bus that is down) does not delay them. A shard bears two
 * readers and no more (DynamoDB's guide, "Reading and processing a stream"), so whatever else follows from a change goes
 * by the second, and what is new goes there until somebody says otherwise.
 */
export const streamConsumers = {
  'propagate-access-change': { entities: { only: entitiesOfDataAccess }, parallelizationFactor: 4 },
  'follow-changes': {
    entities: { allBut: [...entitiesWithoutConsequence, ...entitiesOfDataAccessAlone].sort() },
    parallelizationFactor: 4,
  },
} as const satisfies Record<string, StreamConsumer>;
export type StreamConsumerName = keyof typeof streamConsumers;

/** Whether a change of an item of this kind is for a lane. An item without a kind is for none. */
export function isForConsumer({ entities }: StreamConsumer, entity: unknown): boolean {
  if (typeof entity !== 'string') return false;
  return 'only' in entities ? entities.only.includes(entity) : !entities.allBut.includes(entity);
}
