import * as z from 'zod';
import type { AuditEvent } from '../domain/changes/audit.ts';
import { type BucketConnection, bucketConnectionSchema, bucketOf, overlapOf } from '../domain/data/storage-overlap.ts';
import { conflict, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { decode, encode } from './codec.ts';
import { keys } from './keys.ts';
import { retryOn, TableStore } from './table.ts';
import { put, remove, type Write } from './writes.ts';

/**
 * All data connections in one bucket: those of the platform, and those of accounts that proved control of the bucket.
 */
const bucketRecord = z.object({
  /** A random value. A list that is deleted and created again therefore has another revision. */
  revision: z.string(),
  connections: z.array(bucketConnectionSchema),
});

const bucketChanged = conflict('Another data connection in the bucket was changed at the same time; try again');

/** Lists the connections of each bucket in one item. Two owners therefore never get overlapping prefixes. */
export class StorageBucketStore extends TableStore {
  /**
   * Returns the writes for a transaction that removes `from` from the list of its bucket and adds `to` to the list of
   * its own bucket. Throws `place_taken` if `to` overlaps with another connection, and `limit_reached` for a bucket
   * with too many connections.
   */
  async placementWrites(
    { from, to }: { from?: BucketConnection | undefined; to?: BucketConnection | undefined },
    { event_id: revision }: AuditEvent,
  ): Promise<Write[]> {
    const buckets = [...new Set([from, to].flatMap((one) => (one === undefined ? [] : [bucketOf(one)])))];
    const items = await this.table.getMany(buckets.map(keys.storageBucket));
    return buckets.map((bucket, at) => {
      const key = keys.storageBucket(bucket);
      const before = decode(bucketRecord, items[at]);
      const others = (before?.connections ?? []).filter(
        ({ data_connection_id: id }) => id !== from?.data_connection_id && id !== to?.data_connection_id,
      );
      const isAdded = to !== undefined && bucketOf(to) === bucket;
      if (isAdded) requireFree(to, others);
      const connections = isAdded ? [...others, bucketConnectionSchema.parse(to)] : others;
      const unchanged = before === undefined ? { exists: false } : { equals: { revision: before.revision } };
      if (connections.length === 0) return remove(key, unchanged, bucketChanged);
      const record = { revision, connections };
      if (Buffer.byteLength(JSON.stringify(record)) > limits.storageBucketBytesMax) {
        throw new ServiceError('limit_reached', 'The bucket has too many data connections; use another bucket');
      }
      return put(encode('storage_bucket', record, { key }), unchanged, bucketChanged);
    });
  }

  /** Repeats a change after a random pause if a simultaneous change of the bucket's list succeeded first. */
  async withRetry(change: () => Promise<void>): Promise<void> {
    return retryOn(bucketChanged, limits.changeTriesMax, change, this.table.pause);
  }
}

function requireFree(to: BucketConnection, others: readonly BucketConnection[]): void {
  const other = overlapOf(to, others);
  if (other === undefined) return;
  const isOfSameOwner = other.owner_account_id === to.owner_account_id;
  // The message names the other connection only to its owner and to the platform, because accounts must not learn of
  // each other's connections.
  throw new ServiceError(
    'place_taken',
    isOfSameOwner || to.owner_account_id === undefined
      ? `Repositories on it could lie inside those on the data connection ${other.data_connection_id}, in the same bucket; ` +
          'choose a base prefix that begins with what no ID can be, such as "_archive/", for one of them, or another bucket'
      : 'Another data connection has this base prefix, or one inside or around it, in the same bucket; choose another base prefix or another bucket',
  );
}
