import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ObjectRequest } from './object-request.ts';
import type { Query } from './query.ts';

/** What every list asks for, in the client's names: keys start with the repository. */
export interface ListFilter {
  prefix: string;
  delimiter: string | undefined;
  urlEncoded: boolean;
}

export interface ListInput extends ListFilter {
  version: 1 | 2;
  keysMax: number;
  withOwner: boolean;
  /** `marker` (version 1) or `start-after`. */
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
    throw new ServiceError('invalid_request', 'encoding-type must be url.');
  }
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') || undefined,
    urlEncoded: encoding === 'url',
  };
}

/** How many a page may hold: what was asked for, up to `max`, which is also what nobody asking means. */
export function parseCount(query: Query, name: string, max: number): number {
  const count = query.get(name) || String(max);
  if (!/^\d{1,9}$/.test(count)) throw new ServiceError('invalid_request', `${name} must be a whole number from 0 on.`);
  return Math.min(Number(count), max);
}
