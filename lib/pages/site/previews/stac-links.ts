import { type Json, listOf, recordOf } from './json.ts';

/** Returns the links of a catalog or collection to the catalogs, collections, and items in it. */
export function linksBelow(root: Json): Json[] {
  if (root['type'] !== 'Catalog' && root['type'] !== 'Collection') return [];
  return listOf(root['links'])
    .map(recordOf)
    .filter(({ rel }) => rel === 'child' || rel === 'item');
}
