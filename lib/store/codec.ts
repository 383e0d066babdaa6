import type * as z from 'zod';
import type { Key } from './keys.ts';
import type { Item } from './table.ts';

/**
 * Items are parsed on the way in, never cast: an item that an older release or a hand wrote fails loudly here instead
 * of somewhere inside a rule. The schema drops the table's own attributes (keys, index keys, TTL).
 */
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

/** `entity` names the kind of an item for whoever reads the table or its stream. */
export function encode(entity: string, record: object, place: ItemPlace): Item {
  return {
    ...record,
    ...place.key,
    entity,
    ...(place.list === undefined ? {} : { list_pk: place.list.partition, list_sk: place.list.position }),
    ...(place.sublist === undefined ? {} : { sublist_pk: place.sublist.partition, sublist_sk: place.sublist.position }),
    ...(place.deleteAfter === undefined ? {} : { ttl: Math.ceil(place.deleteAfter / 1000) }),
  };
}
