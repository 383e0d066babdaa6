/** The one table, as the stacks deploy it and the local engine creates it. */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [
    /** Lists of one parent, oldest first. */
    { name: 'lists', partitionKey: 'list_pk', sortKey: 'list_sk' },
    /** Repositories in the public catalogue, spread over shards; sparse. */
    { name: 'catalogue', partitionKey: 'catalogue_pk', sortKey: 'catalogue_sk' },
    /** Of what `lists` has under one parent, some: the repositories that anyone may see; the keys that one person made; people by their names. Sparse. */
    { name: 'sublists', partitionKey: 'sublist_pk', sortKey: 'sublist_sk' },
    /**
     * The enabled repositories of each account in the order of S3's lists, with what decides whether a list shows them and
     * nothing else: the data proxy may read all of it. Sparse.
     */
    {
      name: 'names',
      partitionKey: 'name_pk',
      sortKey: 'name_sk',
      attributes: ['account_id', 'repository_id', 'uid', 'state', 'data_mode', 'disabled'],
    },
  ],
  /** Seconds since the Unix epoch. DynamoDB deletes within about two days of it, so readers compare times as well. */
  ttlAttribute: 'ttl',
  streamView: 'NEW_AND_OLD_IMAGES',
} as const;

type TableIndexShape = (typeof tableShape.indexes)[number];
export type IndexName = TableIndexShape['name'];

/** The attributes beside the keys that an index has of its items; undefined for all. */
export function attributesOfIndex(index: TableIndexShape): readonly string[] | undefined {
  return 'attributes' in index ? index.attributes : undefined;
}
