import type { Item, Table, Write } from '../table.ts';

/**
 * A change of items that the previous release wrote. It runs while the service runs, beside functions of both releases. It may
 * run any number of times: it changes nothing in an item that has the new form.
 */
export interface Migration {
  /** A number and a name. The table stores progress under it, so it never changes after its release. */
  name: `${number}-${string}`;
  /** The schema version of the items that it writes. */
  schema: number;
  /** The kinds of items that it changes. */
  entities: readonly string[];
  /** Returns what to change because of this item. Throws when it cannot read the item: the run reports it and goes on. */
  change(
    item: Item,
    table: Pick<Table, 'get' | 'getMany' | 'partitionPage' | 'listPage'>,
  ): Promise<ItemChange> | ItemChange;
}

/** The runner applies a change in one transaction, on condition that the item is still as it was read. */
export interface ItemChange {
  /** New values of the item's attributes; undefined removes one. */
  attributes?: Readonly<Record<string, unknown>>;
  /** Writes to other items. */
  further?: readonly Write[];
}
