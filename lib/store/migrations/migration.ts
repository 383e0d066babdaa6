import type { Item } from '../keys.ts';
import type { Table } from '../table.ts';
import type { Write } from '../writes.ts';

/**
 * A change of items that the previous release wrote. It runs while functions of both releases serve requests. It may
 * run any number of times, because it changes nothing in an item of the new form.
 */
export interface Migration {
  /** A number and a name. The table stores progress under it, so it never changes after its release. */
  name: `${number}-${string}`;
  /** The schema version of the items that it writes. */
  schema: number;
  /** The kinds of items that it changes. */
  entities: readonly string[];
  /** Returns the change for this item. Throws when it cannot read the item; the run reports the item and continues. */
  change(
    item: Item,
    table: Pick<Table, 'get' | 'getMany' | 'partitionPage' | 'listPage'>,
  ): Promise<ItemChange> | ItemChange;
}

/** A change of one item. The runner applies it in one transaction, on condition that the item is unchanged. */
export interface ItemChange {
  /** New values of the item's attributes; undefined removes one. */
  attributes?: Readonly<Record<string, unknown>>;
  /** Writes to other items. */
  further?: readonly Write[];
}
