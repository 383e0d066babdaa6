import { isDeepStrictEqual } from 'node:util';
import type { RandomSource } from '../../domain/random.ts';
import type { SecretSource } from '../../domain/secrets/secret-versions.ts';
import type { Item, Table } from '../table.ts';

/**
 * A change of items that an earlier release wrote, which readers cannot wait for or should not have to know. It runs
 * while the service goes on, with code of either release, and as often as somebody likes: applied to an item twice, or of one that
 * is right already, it changes nothing.
 */
export interface Migration extends MigrationPass {
  /** Its number and what it does; never changed once released, since the table remembers it by this name. */
  name: `${number}-${string}`;
  /**
   * Another look at every item, when the operator closes the migration: the old release is gone then, and what the
   * first pass changed is done. What is counted anew is counted here.
   */
  finish?: MigrationPass;
}

export interface MigrationPass {
  /** The kinds of items that it looks at. */
  entities: readonly string[];
  /**
   * What is to change because of this item: of the item itself, or of others that hang on it. Each group is one
   * transaction; none when all is right. When an item has changed since it was read, the whole is done again.
   *
   * Throws for an item that it cannot read; the run names it and goes on.
   */
  changes(item: Item, context: MigrationContext): Iterable<ItemChanges> | AsyncIterable<ItemChanges>;
}

export type ItemChanges = readonly ItemChange[];

/** `from` is the item as it was read: the change is made only while it is still exactly that. */
export type ItemChange =
  /** Attributes as they should be; undefined for one that should not be there. */
  | { kind: 'update'; from: Item; to: Readonly<Record<string, unknown>> }
  /** Where no item is. */
  | { kind: 'put'; item: Item }
  | { kind: 'delete'; from: Item }
  /** What the others follow from. */
  | { kind: 'check'; from: Item };

/** What a migration may use beside the item. Reads of the table itself are strongly consistent. */
export interface MigrationContext {
  table: Pick<Table, 'get' | 'getMany' | 'partitionPage' | 'listPage'>;
  random: RandomSource;
  /** The people's issuer that is configured when the run starts; undefined where nobody said. */
  userIssuer: string | undefined;
  /** From which the secrets of API keys follow; undefined where they cannot be had. */
  apiKeyMasters: SecretSource | undefined;
  /** When this run began, in milliseconds since the Unix epoch. */
  now: number;
}

/** The update that gives an item these attributes, if it has not got them. */
export function attributesOf(from: Item, wanted: Readonly<Record<string, unknown>>): ItemChanges[] {
  const to = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(from[name], value)),
  );
  return Object.keys(to).length === 0 ? [] : [[{ kind: 'update', from, to }]];
}
