/** The keys and indexes of the table, for the CDK stacks and the local database engine. */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [
    /** Lists of all items that belong to one parent item, oldest first. */
    { name: 'lists', partitionKey: 'list_pk', sortKey: 'list_sk' },
    /**
     * Repositories in the public catalogue, distributed over shards, and data connections by name. Other items are not
     * in this index.
     */
    { name: 'catalogue', partitionKey: 'catalogue_pk', sortKey: 'catalogue_sk' },
    /**
     * Subsets of `lists`, such as public repositories, disabled repositories, or the keys of one creator. Contains
     * lists in another order as well, such as accounts by name. No other items are in this index.
     */
    { name: 'sublists', partitionKey: 'sublist_pk', sortKey: 'sublist_sk' },
    /**
     * The enabled repositories of each account in the order of S3 lists. The index contains only the attributes that
     * decide about visibility.
     */
    {
      name: 'names',
      partitionKey: 'name_pk',
      sortKey: 'name_sk',
      attributes: ['account_id', 'repository_id', 'uid', 'state', 'data_mode', 'disabled'],
    },
  ],
  /**
   * The expiry of an item in seconds since the Unix epoch. DynamoDB deletes the item up to two days later, so readers
   * also check the time.
   */
  ttlAttribute: 'ttl',
  streamView: 'NEW_AND_OLD_IMAGES',
} as const;

type TableIndexShape = (typeof tableShape.indexes)[number];
export type IndexName = TableIndexShape['name'];

/** Returns the attributes that an index contains besides the keys. Undefined means all attributes. */
export function attributesOfIndex(index: TableIndexShape): readonly string[] | undefined {
  return 'attributes' in index ? index.attributes : undefined;
}
