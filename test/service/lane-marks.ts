import { randomUUID } from 'node:crypto';
import { type LaneName, lanes } from '../../lib/domain/changes/lanes.ts';
import { queueOf } from '../../lib/local/dynamodb/parallel-batches.ts';

/**
 * Keys of items, one for each batch that a lane works on at once: changes go through a lane in their order for each item
 * alone, so it has carried on all that was written before these when it has carried on each of them.
 */
export function laneMarks(lane: LaneName, keyOf: (name: string) => { pk: string; sk: string }) {
  const { parallelizationFactor } = lanes[lane];
  return Array.from({ length: parallelizationFactor }, (_, queue) => {
    for (;;) {
      const name = `caught-up-${randomUUID()}`;
      const key = keyOf(name);
      if (queueOf({ pk: { S: key.pk }, sk: { S: key.sk } }, parallelizationFactor) === queue) return { name, key };
    }
  });
}

/**
 * Writes changes that come behind all others of `follow-changes`: it has carried on all that was written before when it has
 * told that each of these accounts is disabled. What it wrote itself meanwhile may come behind them.
 */
export async function writeLastChanges(putAll: (items: readonly object[]) => Promise<void>): Promise<string[]> {
  const marks = laneMarks('follow-changes', (name) => ({ pk: `ACCOUNT#${name}`, sk: 'ACCOUNT' }));
  for (const disabled of [false, true]) {
    await putAll(
      marks.map(({ name, key }) => ({ ...key, entity: 'account', account_id: name, account_type: 'user', disabled })),
    );
  }
  return marks.map(({ name }) => name);
}
