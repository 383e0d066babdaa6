import type * as z from 'zod';
import type { Item, Key } from './keys.ts';

/** The schema version of the items that this release writes. A migration uses it to find older items. */
export const schemaVersion = 1;

/** Parses an item of the table. Throws if the item is not valid. The result has no table keys, index keys, or TTL. */
export function decode<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema>;
export function decode<Schema extends z.ZodType>(schema: Schema, item: Item | undefined): z.output<Schema> | undefined;
export function decode<Schema extends z.ZodType>(schema: Schema, item: Item | undefined): z.output<Schema> | undefined {
  return item === undefined ? undefined : schema.parse(item);
}

interface ItemKeys {
  key: Key;
  list?: { partition: string; position: string };
  sublist?: { partition: string; position: string } | undefined;
  /** The time, in milliseconds since the Unix epoch, after which DynamoDB deletes the item. */
  deleteAfter?: number;
}

/**
 * Converts a record to an item of the table. `entity` is the item type, by which readers of the table and its stream
 * distinguish items.
 */
export function encode(entity: string, record: object, keys: ItemKeys): Item {
  return {
    ...record,
    ...keys.key,
    entity,
    schema: schemaVersion,
    ...(keys.list === undefined ? {} : { list_pk: keys.list.partition, list_sk: keys.list.position }),
    ...(keys.sublist === undefined ? {} : { sublist_pk: keys.sublist.partition, sublist_sk: keys.sublist.position }),
    ...(keys.deleteAfter === undefined ? {} : { ttl: Math.ceil(keys.deleteAfter / 1000) }),
  };
}
