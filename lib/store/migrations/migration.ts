import type { Item } from '../table.ts';

/**
 * A change of items that an earlier release wrote, which readers cannot wait for or should not have to know. It is
 * pure: asked of an item twice, or of one that is right already, it changes nothing.
 */
export interface Migration {
  /** Its number and what it does; never changed once released, since the table remembers it as done by this name. */
  name: `${number}-${string}`;
  /** The kinds of items that it looks at. */
  entities: readonly string[];
  /** Attributes as they should be; undefined for one that should not be there. None when the item is right. */
  changes(item: Item): Readonly<Record<string, unknown>>;
}
