import type { Schemas } from '../api/client.ts';
import { loadRights, type Rights } from '../scopes.ts';
import type { User } from '../signed-in-user.ts';

export type Membership = Schemas['ListedMembership'];

/** An account whose repositories the dashboard shows. */
export interface OwnAccount {
  account_id: string;
  /** The display name of the account, or its ID. */
  name: string;
}

/** The maximum number of accounts for which the dashboard sends requests. It shows further accounts only as links. */
export const accountsRead = 10;

export const nameOf = (each: Membership) => each.membership_account_name || each.membership_account_id;

/** Groups the memberships by the part of the dashboard that shows them. */
export function partsOf({ account, memberships }: User) {
  const member = memberships.filter(({ state }) => state === 'member');
  const organizations = member.filter(({ repository_id }) => repository_id === undefined);
  const own = account === null ? [] : [{ account_id: account.account_id, name: account.profile.name }];
  return {
    invited: memberships.filter(({ state }) => state === 'invited'),
    organizations,
    shared: member.filter(({ repository_id }) => repository_id !== undefined),
    accounts: [
      ...own,
      ...organizations.map((each) => ({ account_id: each.membership_account_id, name: nameOf(each) })),
    ].map(({ account_id, name }): OwnAccount => ({ account_id, name: name || account_id })),
  };
}

export interface AccountRights extends OwnAccount {
  may: Rights['may'];
}

/** Loads the user's permissions for the first accounts. */
export function loadAccountRights(accounts: readonly OwnAccount[]): Promise<readonly AccountRights[]> {
  return Promise.all(
    accounts.slice(0, accountsRead).map(async (each) => ({ ...each, may: (await loadRights(each.account_id)).may })),
  );
}
