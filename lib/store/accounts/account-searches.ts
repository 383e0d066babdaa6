import type { Account } from '../../domain/accounts/accounts.ts';
import { limits } from '../../domain/limits.ts';
import { toTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import { accountRecord } from '../records.ts';
import { TableStore } from '../table.ts';
import { countedInWindow, windowOf } from '../tallies.ts';
import { userSearchQuery } from './user-search-keys.ts';

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
    const { key, change, condition, refusal } = countedInWindow({
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
