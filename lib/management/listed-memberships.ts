import type { Account } from '../domain/accounts/accounts.ts';
import type { ListedMembership, Membership } from '../domain/accounts/memberships.ts';
import type { ListPage } from '../domain/list-pages.ts';
import type { Store } from '../store/store.ts';

/**
 * Adds the account names to a page of memberships, in one round trip.
 * @param known the account that is part of every membership
 */
export async function listedMemberships(
  { items, next }: ListPage<Membership>,
  known: Account,
  { accountNames }: Pick<Store, 'accountNames'>,
): Promise<ListPage<ListedMembership>> {
  const nameOf = await accountNames.find(
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
