import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isIdentifier } from '../../domain/identifiers.ts';
import { accessDenied } from '../denied.ts';
import { accountNames } from './account-names.ts';
import { foreignToken } from './continuation.ts';
import { type List, listAnswer, listRepository } from './list-repository.ts';

/** Of which the keys of one are listed; another one tells that the list goes on. */
const repositoriesRead = 2;

/**
 * A list that begins above the repositories of an account. Each that the caller may be shown is a common prefix;
 * without a delimiter, all their keys follow one another, a page never holding those of two. Everything is made from
 * what is shown: neither counts nor where pages end tell of more.
 */
export async function listAccount(list: List): Promise<Decision> {
  const { request, input } = list;
  if (input.delimiter !== undefined && input.delimiter !== '/') {
    throw new ServiceError('not_implemented', 'A list that starts above a repository needs the delimiter /.');
  }
  if (!isIdentifier(request.account_id)) throw accessDenied();
  return input.delimiter === undefined ? listKeys(list) : listPrefixes(list);
}

async function listPrefixes(list: List): Promise<Decision> {
  const { request, input, from } = list;
  if (from.kind === 'storage') throw foreignToken();
  const { after = '' } = from;
  const place = placeOf(after);
  const begin = place === after && place.endsWith('/') ? behind(place) : place;
  const names = await accountNames(request, { prefix: input.prefix, from: begin, limit: input.keysMax });
  const entries = names.items.map((name) => ({ name, kind: 'common_prefix' as const, facts: '' }));
  return listAnswer(list, entries, names.next);
}

async function listKeys(list: List): Promise<Decision> {
  const { from, input, request } = list;
  const place = from.kind === 'storage' ? `${from.repository_id}/` : placeOf(from.after ?? '');
  const limit = Math.min(input.keysMax, repositoriesRead);
  const { items, next } = await accountNames(request, { prefix: input.prefix, from: place, limit });
  const [prefix, following = next] = items;
  if (prefix === undefined) return listAnswer(list, [], next && behind(next));
  const repository_id = prefix.slice(0, -1);
  // The storage's token is of no use in another repository: where its own was taken from the list, the next begins.
  const isOfAnother = from.kind === 'storage' && from.repository_id !== repository_id;
  return listRepository(isOfAnother ? { ...list, from: { kind: 'after', after: undefined } } : list, {
    repository_id,
    keyPrefix: '',
    thenAfter: following === undefined ? undefined : behind(prefix),
  });
}

/** Where the list of repositories stands at a key: at that which the key lies in, since more of it may be due. */
function placeOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash + 1);
}

/** `0` follows `/`: behind every key of a repository, and before the next one's. */
function behind(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}
