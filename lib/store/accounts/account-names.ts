import { type Account, shownNameOf } from '../../domain/accounts/accounts.ts';
import type { ListedMembership, Membership } from '../../domain/accounts/memberships.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import { accountRecord } from '../records.ts';
import { TableStore } from '../table.ts';

/** Returns the name to show for an account ID. */
export type NameOf = (accountId: string | null) => string | null;

export class AccountNameStore extends TableStore {
  /** Reads the public names of these accounts in one round trip, except for the account that is already loaded. */
  async find(accountIds: readonly (string | null)[], known: Account): Promise<NameOf> {
    const ids = [...new Set(accountIds.filter((id) => id !== null))];
    const unknown = ids.filter((id) => id !== known.account_id);
    const items = await this.table.getMany(unknown.map(keys.account));
    const names = new Map(unknown.map((id, index) => [id, shownNameOf(decode(accountRecord, items[index]))]));
    names.set(known.account_id, shownNameOf(known));
    return (id) => (id === null ? null : (names.get(id) ?? null));
  }

  /** Adds the account names to a page of memberships of the account `known`, in one round trip. */
  async ofMemberships({ items, next }: ListPage<Membership>, known: Account): Promise<ListPage<ListedMembership>> {
    const nameOf = await this.find(
      items.flatMap((item) => [item.account_id, item.membership_account_id]),
      known,
    );
    const named = items.map((item) => ({
      ...item,
      account_name: nameOf(item.account_id),
      membership_account_name: nameOf(item.membership_account_id),
    }));
    return { items: named, next };
  }
}
