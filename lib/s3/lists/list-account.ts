import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isIdentifier } from '../../domain/identifiers.ts';
import { accessDenied } from '../denied.ts';
import { accountNames } from './account-names.ts';
import { foreignToken } from './continuation.ts';
import { type List, listAnswer, listRepository } from './list-repository.ts';

/** The keys of the first are listed. A second one shows that the list continues. */
const repositoriesRead = 2;

/**
 * Lists an account when the prefix does not name a repository. With a delimiter, each visible repository is a common
 * prefix. Without one, the keys of all visible repositories follow each other, and a page has keys of one repository
 * only. Counts and page ends depend only on visible repositories, so they reveal no others.
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
  // A storage token is valid in its own repository only. If that repository is no longer visible, the list continues at
  // the start of the next one.
  const isOfAnother = from.kind === 'storage' && from.repository_id !== repository_id;
  return listRepository(isOfAnother ? { ...list, from: { kind: 'after', after: undefined } } : list, {
    repository_id,
    keyPrefix: '',
    thenAfter: following === undefined ? undefined : behind(prefix),
  });
}

/** Returns the repository prefix of a key. The list continues inside this repository, which may have more keys. */
function placeOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash + 1);
}

/** Returns a position after every key of the repository and before the next repository: `0` follows `/` in ASCII. */
function behind(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}
