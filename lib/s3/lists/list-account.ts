import { listedRepositories } from '../../domain/data/data-lists.ts';
import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isIdentifier } from '../../domain/identifiers.ts';
import { limits } from '../../domain/limits.ts';
import { accessDenied } from '../denied.ts';
import { type ObjectRequest, xmlAnswer } from '../object-request.ts';
import { foreignToken } from './continuation.ts';
import type { ObjectListPage } from './list-page.ts';
import { renderListPage } from './list-page.ts';
import { emptyList, type List, listRepository, nextAfter } from './list-repository.ts';

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
  const all = await listedPrefixes(request);
  const prefixes = all.filter((name) => name.startsWith(input.prefix));
  return input.delimiter === undefined ? listKeys(list, prefixes) : listPrefixes(list, prefixes);
}

/** The repositories as prefixes of keys, in the order of those: `a-b/` comes before `a/`. */
async function listedPrefixes({ access, caller, account_id }: ObjectRequest): Promise<string[]> {
  if (!isIdentifier(account_id)) throw accessDenied();
  const ageMaxSeconds = limits.listedNamesAgeMaxSeconds;
  const [rights, [owner], repositories] = await Promise.all([
    access.readRights(caller.principal, ageMaxSeconds),
    access.readAccounts([account_id], ageMaxSeconds),
    access.readRepositories(account_id, ageMaxSeconds),
  ]);
  const listed = listedRepositories(caller.principal, rights, owner, repositories);
  return listed.map(({ repository_id }) => `${repository_id}/`).sort();
}

function listPrefixes(list: List, prefixes: readonly string[]): Decision {
  const { request, input, from } = list;
  if (from.kind === 'storage') throw foreignToken();
  const { after = '' } = from;
  // A name inside a repository leaves what follows it there.
  const due = prefixes.filter((prefix) => prefix > after || (after.startsWith(prefix) && after !== prefix));
  const shown = due.slice(0, input.keysMax);
  const last = shown.at(-1);
  const isTruncated = last !== undefined && shown.length < due.length;
  const page: ObjectListPage = {
    entries: shown.map((name) => ({ name, kind: 'common_prefix', facts: '' })),
    isTruncated,
    next: isTruncated ? nextAfter(list, last) : undefined,
  };
  return { kind: 'respond', answer: xmlAnswer(request.edgeRequest, renderListPage(input, request.account_id, page)) };
}

function listKeys(list: List, prefixes: readonly string[]): Decision | Promise<Decision> {
  const { from, input } = list;
  const after = from.kind === 'storage' ? `${from.repository_id}/` : (from.after ?? '');
  const due = prefixes.filter((prefix) => prefix > after || after.startsWith(prefix));
  const [prefix, following] = due;
  if (prefix === undefined || input.keysMax === 0) return emptyList(list);
  const repository_id = prefix.slice(0, -1);
  // The storage's token is of no use in another repository: where its own was taken from the list, the next begins.
  const isOfAnother = from.kind === 'storage' && from.repository_id !== repository_id;
  return listRepository(isOfAnother ? { ...list, from: { kind: 'after', after: undefined } } : list, {
    repository_id,
    keyPrefix: '',
    // `0` follows `/`: behind every key of this repository, and before the next one's.
    thenAfter: following === undefined ? undefined : `${repository_id}0`,
  });
}
