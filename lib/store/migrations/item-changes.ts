import { ServiceError } from '../../domain/errors.ts';
import { type Condition, changeTo } from '../expressions.ts';
import { keyOf } from '../keys.ts';
import type { Item, Table, Write } from '../table.ts';
import type { ItemChange, ItemChanges } from './migration.ts';

/** Makes the changes together, if every item is still as it was read; false, and nothing, otherwise. */
export async function makeChanges(table: Table, changes: ItemChanges): Promise<boolean> {
  const [first] = changes;
  if (changes.length === 1 && first?.kind === 'update') {
    const { key, change, condition } = updateOf(first);
    return (await table.update(key, change, condition)) !== undefined;
  }
  return table.transactIfHolding(changes.map(writeOf));
}

function writeOf(change: ItemChange): Write {
  switch (change.kind) {
    case 'put':
      return { kind: 'put', item: change.item, condition: { exists: false } };
    case 'delete':
      return { kind: 'delete', key: keyOf(change.from), condition: asRead(change.from) };
    case 'check': {
      const refusal = new ServiceError('concurrent_change', 'An item was changed meanwhile');
      return { kind: 'check', key: keyOf(change.from), condition: asRead(change.from), refusal };
    }
    case 'update':
      return { kind: 'update', ...updateOf(change) };
  }
}

function updateOf({ from, to }: Extract<ItemChange, { kind: 'update' }>) {
  const absent = Object.keys(to)
    .filter((name) => !(name in from))
    .map((name) => [name, undefined]);
  return {
    key: keyOf(from),
    change: changeTo(to),
    condition: { equalsOrAbsent: { ...from, ...Object.fromEntries(absent) } },
  };
}

/** The whole item, since what is to change follows from all of it. */
function asRead(item: Item): Condition {
  return { equalsOrAbsent: item };
}
