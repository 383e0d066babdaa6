import { type Account, accountRecord } from '../../domain/accounts/accounts.ts';
import { limits } from '../../domain/limits.ts';
import { foldPhrase } from '../../domain/text.ts';
import { toTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { keys, listPosition, lists, sublists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { countInWindow, windowOf } from '../writes.ts';

/** Searches for accounts to invite, by the beginning of an account ID or of a display name. */
export class AccountSearchStore extends TableStore {
  /**
   * Returns the first enabled user accounts that match, first by ID and then by name, each in order. Takes one round
   * trip, because the indexes contain whole accounts. The indexes are a moment late. Counts the search for the
   * searching account and throws `throttled` above the limit of a minute.
   */
  async search(text: string, accountId: string, now: number): Promise<Account[]> {
    const { ids, names, range } = userSearchQuery(text);
    const page = { ...range, limit: limits.foundAccountsMax, after: undefined, roundTripsMax: 1 };
    const [byId, byName] = await Promise.all([
      this.table.listPage('lists', ids, page),
      this.table.listPage('sublists', names, page),
      this.#count(accountId, toTimestamp(now)),
    ]);
    const found = [...byId.items, ...byName.items].map((item) => decode(accountRecord, item));
    const unique = new Map(found.map((account) => [account.account_id, account]));
    return [...unique.values()].slice(0, limits.foundAccountsMax);
  }

  /** Counts outside a transaction, because many searches at the same moment would conflict. */
  async #count(accountId: string, time: string): Promise<void> {
    const { key, change, condition, refusal } = countInWindow({
      key: keys.accountSearches(accountId, windowOf(time, 'minute')),
      entity: 'account_searches_tally',
      counter: 'searches',
      max: limits.accountSearchesPerMinuteMax,
      window: 'minute',
      time,
      sentence: () =>
        `One person searches for accounts at most ${limits.accountSearchesPerMinuteMax} times a minute; wait until the next one begins`,
    });
    if ((await this.table.update(key, change, condition)) === undefined) throw refusal;
  }
}

type Found = Pick<Account, 'account_id' | 'account_type' | 'disabled' | 'profile'>;

/** Returns the folded part of a display name in the search key. Undefined if it is too short for a search. */
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

/** Returns the index keys of an enabled user account in the search, by ID and by name. Undefined removes a key. */
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
function userSearchQuery(text: string) {
  const from = Array.from(foldPhrase(text)).slice(0, limits.placedNameLettersMax).join('');
  const beginning = beginningOf(from);
  const range = { from, to: `${from}\u{10ffff}` };
  return { ids: lists.people(beginning), names: sublists.peopleByName(beginning), range };
}
