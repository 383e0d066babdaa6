import type * as z from 'zod';
import type { Item, Key } from './keys.ts';

/** The version of the items that this release writes. A migration finds older items by their version. */
export const schemaVersion = 1;

/** Parses an item, so that an invalid one fails here. The schema drops keys, index keys, and TTL. */
export function decode<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema>;
export function decode<Schema extends z.ZodType>(schema: Schema, item: Item | undefined): z.output<Schema> | undefined;
export function decode<Schema extends z.ZodType>(schema: Schema, item: Item | undefined): z.output<Schema> | undefined {
  return item === undefined ? undefined : schema.parse(item);
}

interface ItemPlace {
  key: Key;
  list?: { partition: string; position: string };
  sublist?: { partition: string; position: string } | undefined;
  /** Milliseconds since the Unix epoch. */
  deleteAfter?: number;
}

/** Returns a record as an item of the table. `entity` names its kind to readers of the table and of its stream. */
export function encode(entity: string, record: object, place: ItemPlace): Item {
  return {
    ...record,
    ...place.key,
    entity,
    schema: schemaVersion,
    ...(place.list === undefined ? {} : { list_pk: place.list.partition, list_sk: place.list.position }),
    ...(place.sublist === undefined ? {} : { sublist_pk: place.sublist.partition, sublist_sk: place.sublist.position }),
    ...(place.deleteAfter === undefined ? {} : { ttl: Math.ceil(place.deleteAfter / 1000) }),
  };
}
