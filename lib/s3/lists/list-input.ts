import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ObjectRequest } from '../objects/object-request.ts';
import type { Query } from '../resource.ts';

/** The largest number of entries that S3 accepts in a request. */
const countMax = 2 ** 31 - 1;

/**
 * The parameters that all list operations have, as the client sends them. Keys in them begin with the repository ID.
 */
export interface ListFilter {
  prefix: string;
  delimiter: string | undefined;
  urlEncoded: boolean;
}

export interface ListInput extends ListFilter {
  version: 1 | 2;
  keysMax: number;
  withOwner: boolean;
  /** The parameter `marker` (version 1) or `start-after` (version 2). */
  after: string | undefined;
  continuationToken: string | undefined;
}

export function parseListInput({ query, operation }: ObjectRequest): ListInput {
  const version = operation.name === 'ListObjectsV2' ? 2 : 1;
  return {
    ...parseListFilter(query),
    version,
    keysMax: parseCount(query, 'max-keys', limits.listPageMax),
    withOwner: version === 1 || query.get('fetch-owner') === 'true',
    after: query.get(version === 1 ? 'marker' : 'start-after') || undefined,
    continuationToken: query.get('continuation-token'),
  };
}

export function parseListFilter(query: Query): ListFilter {
  const encoding = query.get('encoding-type');
  if (encoding !== undefined && encoding !== 'url') {
    throw new ServiceError('invalid_argument', 'encoding-type must be url.');
  }
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') || undefined,
    urlEncoded: encoding === 'url',
  };
}

/**
 * Returns the page size that the request asks for. The default and the maximum are `max`. Throws the errors of
 * `readCount`.
 */
export function parseCount(query: Query, name: string, max: number): number {
  return Math.min(readCount(query, name) ?? max, max);
}

/**
 * Returns a whole number from the query. Returns undefined if the parameter is absent. Throws ServiceError
 * `invalid_argument`.
 */
export function readCount(query: Query, name: string): number | undefined {
  const text = query.get(name) || undefined;
  if (text === undefined) return undefined;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (count <= countMax) return count;
  throw new ServiceError('invalid_argument', `${name} must be a whole number from 0 to ${countMax}.`);
}

/** Returns only those parameters that are not undefined. */
export function presentParameters(parameters: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}
