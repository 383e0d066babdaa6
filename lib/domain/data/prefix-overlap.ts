import { isIdentifier } from '../identifiers.ts';
import { type DataConnection, defaultPrefixTemplate, endpointHost, isPlaceholder } from './data-connections.ts';

type Placement = Pick<DataConnection, 'details' | 'prefix_template'>;

/**
 * Returns true if a repository on one connection could be inside, around, or equal to another one on the other
 * connection. Users choose the IDs: if a second connection has `archive/` in the same bucket, an account `archive` on
 * the first would own its objects.
 */
export function mayPrefixesOverlap(a: Placement, b: Placement): boolean {
  if (a.details.bucket !== b.details.bucket || storeOf(a) !== storeOf(b)) return false;
  const others = segmentsOf(b);
  const pairs = segmentsOf(a)
    .slice(0, others.length)
    .map((segment, index) => [segment, others[index] ?? ''] as const);
  // If both placeholders have the same positions, only a repository and itself can overlap.
  const isSameRepository = pairs.filter(([one, other]) => one === other && isPlaceholder(one)).length === 2;
  return !isSameRepository && pairs.every(([one, other]) => couldBeEqual(one, other));
}

/** Returns a name of the store that holds the bucket. All endpoints of S3 have the same name. */
function storeOf({ details }: Placement): string {
  const host = endpointHost(details);
  return /(?:^|\.)amazonaws\.com(?:\.cn)?$/.test(host) ? '' : host;
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
