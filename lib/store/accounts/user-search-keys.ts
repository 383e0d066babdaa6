import type { Account } from '../../domain/accounts/accounts.ts';
import { limits } from '../../domain/limits.ts';
import { foldPhrase } from '../../domain/text.ts';
import { listPosition, lists, sublists } from '../keys.ts';

type Found = Pick<Account, 'account_id' | 'account_type' | 'disabled' | 'profile'>;

/**
 * Returns the part of a display name that the search key contains, in folded form. Returns undefined for a name that is
 * too short for a search.
 */
function placedName({ profile }: Pick<Account, 'profile'>): string | undefined {
  const letters = Array.from(foldPhrase(profile.name ?? ''));
  return letters.length < limits.searchedPrefixLengthMin
    ? undefined
    : letters.slice(0, limits.placedNameLettersMax).join('');
}

/** Returns the letters that name a partition. Every search text has at least this number of letters. */
function beginningOf(text: string): string {
  return Array.from(text).slice(0, limits.searchedPrefixLengthMin).join('');
}

/**
 * Returns the index keys by which a search finds an account, by its ID and by its display name. Only enabled user
 * accounts have keys. Missing keys are undefined, so that an update removes them.
 */
export function wantedPlaces(account: Found) {
  const { account_id, account_type, disabled } = account;
  const isFound = account_type === 'user' && !disabled;
  const name = isFound ? placedName(account) : undefined;
  return {
    list_pk: isFound ? lists.people(beginningOf(account_id)) : undefined,
    list_sk: isFound ? account_id : undefined,
    sublist_pk: name === undefined ? undefined : sublists.peopleByName(beginningOf(name)),
    sublist_sk: name === undefined ? undefined : listPosition(name, account_id),
  };
}

/** Returns the partitions that a search reads, and the range in each. */
export function userSearchQuery(text: string) {
  const from = Array.from(foldPhrase(text)).slice(0, limits.placedNameLettersMax).join('');
  const beginning = beginningOf(from);
  const range = { from, to: `${from}\u{10ffff}` };
  return { ids: lists.people(beginning), names: sublists.peopleByName(beginning), range };
}
