/** The table, as the stacks deploy it and the local engine creates it. */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [
    /** Lists of the children of one parent, oldest first. */
    { name: 'lists', partitionKey: 'list_pk', sortKey: 'list_sk' },
    /** Repositories in the public catalogue, distributed over shards. Sparse. */
    { name: 'catalogue', partitionKey: 'catalogue_pk', sortKey: 'catalogue_sk' },
    /** Subsets of `lists`: public repositories, the keys of one creator, and user accounts by name. Sparse. */
    { name: 'sublists', partitionKey: 'sublist_pk', sortKey: 'sublist_sk' },
    /** The enabled repositories of each account in the order of S3 lists, with only the data for visibility. Sparse. */
    {
      name: 'names',
      partitionKey: 'name_pk',
      sortKey: 'name_sk',
      attributes: ['account_id', 'repository_id', 'uid', 'state', 'data_mode', 'disabled'],
    },
  ],
  /** Seconds since the Unix epoch. DynamoDB deletes items up to two days later, so readers compare times too. */
  ttlAttribute: 'ttl',
  streamView: 'NEW_AND_OLD_IMAGES',
} as const;

type TableIndexShape = (typeof tableShape.indexes)[number];
export type IndexName = TableIndexShape['name'];

/** Returns the attributes of an index besides the keys, or undefined for all attributes. */
export function attributesOfIndex(index: TableIndexShape): readonly string[] | undefined {
  return 'attributes' in index ? index.attributes : undefined;
}
