/** The one table, as the stacks deploy it and the local engine creates it. */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [
    /** Lists of one parent, oldest first. */
    { name: 'lists', partitionKey: 'list_pk', sortKey: 'list_sk' },
    /** Repositories in the public catalogue, spread over shards; sparse. */
    { name: 'catalogue', partitionKey: 'catalogue_pk', sortKey: 'catalogue_sk' },
    /** Of what `lists` has under one parent, some: the repositories that anyone may see; the keys that one person made. Sparse. */
    { name: 'sublists', partitionKey: 'sublist_pk', sortKey: 'sublist_sk' },
  ],
  /** Seconds since the Unix epoch. DynamoDB deletes within about two days of it, so readers compare times as well. */
  ttlAttribute: 'ttl',
  streamView: 'NEW_AND_OLD_IMAGES',
} as const;

export type IndexName = (typeof tableShape.indexes)[number]['name'];
