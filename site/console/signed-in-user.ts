import { answerOf, api, type Schemas } from './api/client.ts';
import { createLoading } from './components/loaded.tsx';

export type User = Omit<Schemas['Session'], 'account'> & {
  account: Schemas['Account'] | null;
  /** The cursor of the next page of memberships. */
  next: string | undefined;
};

/** Loads the signed-in user's account, roles, and invitations. */
export const userLoading = createLoading<User>(async () => {
  const { data, next } = await answerOf(api.GET('/whoami'));
  return { ...data, next };
});

/** The signed-in user: the account, if there is one, with roles and invitations. */
export const { state: user, reload: loadUser } = userLoading;

/** Returns the user's account ID. Returns undefined until it is loaded, and for a user without an account. */
export function ownAccountId(): string | undefined {
  const { value } = user;
  return value.kind === 'ready' ? value.value.account?.account_id : undefined;
}

/** Returns true when the user owns the repository or has a role with write access to it. */
export function mayWrite(
  { account, memberships }: Pick<User, 'account' | 'memberships'>,
  { account_id, repository_id }: { account_id: string; repository_id: string },
): boolean {
  if (account?.account_id === account_id) return true;
  return memberships.some(
    (each) =>
      each.state === 'member' &&
      each.role !== 'read_data' &&
      each.membership_account_id === account_id &&
      (each.repository_id === undefined || each.repository_id === repository_id),
  );
}

/**
 * Returns true when the account is the user's own, or when the user has a role in the account or in one of its
 * repositories.
 */
export function isWithin(account_id: string): boolean {
  if (user.value.kind !== 'ready') return false;
  const { account, memberships } = user.value.value;
  return account?.account_id === account_id || memberships.some((each) => each.membership_account_id === account_id);
}

/**
 * Removes the membership of a transferred repository from the loaded data at once. The service ends that membership
 * only a moment later.
 */
export function dropMembership({ account_id, repository_id }: { account_id: string; repository_id: string }): void {
  const state = user.value;
  if (state.kind !== 'ready') return;
  const memberships = state.value.memberships.filter(
    (each) => each.membership_account_id !== account_id || each.repository_id !== repository_id,
  );
  userLoading.extend(state.value, { ...state.value, memberships });
}

/** Loads the next page of the user's memberships. Throws `Problem`. */
export async function loadMoreMemberships(): Promise<void> {
  const state = user.value;
  if (state.kind !== 'ready' || state.value.next === undefined) return;
  const cursor = state.value.next;
  const { data, next } = await answerOf(api.GET('/whoami', { params: { query: { cursor } } }));
  const memberships = [...state.value.memberships, ...data.memberships];
  userLoading.extend(state.value, { ...state.value, memberships, next });
}
