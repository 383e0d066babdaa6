/** The one table, as the stacks deploy it and the local engine creates it. */
export const tableShape = {
  partition_key: 'pk',
  sort_key: 'sk',
  indexes: [
    /** Lists of one parent, oldest first. */
    { name: 'lists', partition_key: 'list_pk', sort_key: 'list_sk' },
    /** Repositories in the public catalogue, spread over shards; sparse. */
    { name: 'catalogue', partition_key: 'catalogue_pk', sort_key: 'catalogue_sk' },
  ],
  /** Seconds since the Unix epoch. DynamoDB deletes within about two days of it, so readers compare times as well. */
  ttl_attribute: 'ttl',
  stream_view: 'NEW_AND_OLD_IMAGES',
} as const;

export type IndexName = (typeof tableShape.indexes)[number]['name'];
