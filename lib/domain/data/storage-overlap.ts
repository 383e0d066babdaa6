import type * as z from 'zod';
import { isIdentifier } from '../identifiers.ts';
import { partitionOf, partitionOfHost } from './aws-partitions.ts';
import { dataConnectionRecord, defaultPrefixTemplate, endpointHost, isPlaceholder } from './data-connections.ts';

/** A data connection, as an entry in the list of all connections to its bucket. */
export const bucketConnectionSchema = dataConnectionRecord
  .pick({ data_connection_id: true, owner_account_id: true, prefix_template: true })
  .extend({ details: dataConnectionRecord.shape.details });
export type BucketConnection = z.infer<typeof bucketConnectionSchema>;

type Placement = Pick<BucketConnection, 'details' | 'prefix_template'>;

/** Returns a name of a connection's bucket. It is the same for all endpoints of one storage service. */
export function bucketOf(placed: Placement): string {
  return `${storeOf(placed)}/${placed.details.bucket}`;
}

/**
 * Returns a name of the storage service: the partition of AWS, in which bucket names are unique, or the host of the
 * endpoint.
 */
function storeOf({ details }: Placement): string {
  const host = endpointHost(details);
  if (host === '') return partitionOf(details.region).id;
  return partitionOfHost(host.replace(/:\d+$/, ''))?.id ?? host;
}

/** Returns true if two versions of a connection store repositories at different locations. */
export function isPlacementChanged(before: Placement, after: Placement): boolean {
  return (
    bucketOf(before) !== bucketOf(after) ||
    before.details.base_prefix !== after.details.base_prefix ||
    endpointHost(before.details) !== endpointHost(after.details) ||
    before.prefix_template !== after.prefix_template
  );
}

/**
 * Returns the first connection among `others` that overlaps with this connection. All of them must use the same bucket.
 */
export function overlapOf(placed: BucketConnection, others: readonly BucketConnection[]): BucketConnection | undefined {
  return others.find((other) =>
    other.owner_account_id === placed.owner_account_id
      ? mayPrefixesOverlap(placed, other)
      : isNested(placed.details.base_prefix, other.details.base_prefix),
  );
}

/**
 * Returns true if one base prefix contains the other. Both end in a slash, so a prefix contains only complete segments.
 */
function isNested(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/**
 * Returns true if repositories on two connections could be inside, around, or equal to one another.
 *
 * Users choose the IDs. For example, if a second connection has the base prefix `archive/` in the same bucket, an
 * account `archive` on the first connection would own the objects of the second.
 */
export function mayPrefixesOverlap(a: Placement, b: Placement): boolean {
  if (bucketOf(a) !== bucketOf(b)) return false;
  const others = segmentsOf(b);
  const pairs = segmentsOf(a)
    .slice(0, others.length)
    .map((segment, index) => [segment, others[index] ?? ''] as const);
  // If both templates have their placeholders at the same positions, a repository can overlap only with itself.
  const isSameRepository = pairs.filter(([one, other]) => one === other && isPlaceholder(one)).length === 2;
  return !isSameRepository && pairs.every(([one, other]) => couldBeEqual(one, other));
}

function segmentsOf({ details, prefix_template = defaultPrefixTemplate }: Placement): string[] {
  return `${details.base_prefix}${prefix_template}`.slice(0, -1).split('/');
}

function couldBeEqual(one: string, other: string): boolean {
  return one === other || couldStandFor(one, other) || couldStandFor(other, one);
}

function couldStandFor(placeholder: string, segment: string): boolean {
  return isPlaceholder(placeholder) && (isPlaceholder(segment) || isIdentifier(segment));
}
