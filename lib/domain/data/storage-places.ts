import { isIdentifier } from '../identifiers.ts';
import { type DataConnection, defaultPrefixTemplate, isPlaceholder } from './data-connections.ts';

type Placement = Pick<DataConnection, 'details' | 'prefix_template'>;

/**
 * Whether a repository on one connection could be placed in, around or on another one on the other. IDs are whatever
 * people choose: in a bucket of which a second connection has `archive/` to itself, the account `archive` on the first
 * would own all of that.
 */
export function mayPlacesOverlap(a: Placement, b: Placement): boolean {
  if (a.details.bucket !== b.details.bucket || storeOf(a) !== storeOf(b)) return false;
  const others = segmentsOf(b);
  const pairs = segmentsOf(a)
    .slice(0, others.length)
    .map((segment, index) => [segment, others[index] ?? ''] as const);
  // Where both IDs stand at the same places, what overlaps is one and the same repository.
  const isSameRepository = pairs.filter(([one, other]) => one === other && isPlaceholder(one)).length === 2;
  return !isSameRepository && pairs.every(([one, other]) => couldBeEqual(one, other));
}

/** S3 has one name for a bucket whatever endpoint it is reached at. */
function storeOf({ details: { endpoint } }: Placement): string {
  const host = endpoint === undefined ? '' : new URL(endpoint).host;
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
