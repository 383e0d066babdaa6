import type { Account } from '../../domain/accounts/accounts.ts';
import { limits } from '../../domain/limits.ts';
import { foldPhrase } from '../../domain/text.ts';
import { listPosition, lists, sublists } from '../keys.ts';

type Found = Pick<Account, 'account_id' | 'account_type' | 'disabled' | 'profile'>;

/** As much of a display name as its place has, as it is compared; undefined where it is too short to search for. */
function placedName({ profile }: Pick<Account, 'profile'>): string | undefined {
  const letters = Array.from(foldPhrase(profile.name ?? ''));
  return letters.length < limits.searchedPrefixLengthMin
    ? undefined
    : letters.slice(0, limits.placedNameLettersMax).join('');
}

/** A partition has what begins with the same letters, as many as each search has. */
function beginningOf(text: string): string {
  return Array.from(text).slice(0, limits.searchedPrefixLengthMin).join('');
}

/**
 * Where an account is found by the beginning of its ID and by that of its display name, as it should be: people's, while
 * they are enabled. Absent places are named.
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

/** The partitions that a search reads, and the range in each. */
export function userSearchQuery(text: string) {
  const from = Array.from(foldPhrase(text)).slice(0, limits.placedNameLettersMax).join('');
  const beginning = beginningOf(from);
  const range = { from, to: `${from}\u{10ffff}` };
  return { ids: lists.people(beginning), names: sublists.peopleByName(beginning), range };
}
