import { answerOf, api, type Schemas } from './api/client.ts';
import { createLoading } from './components/loaded.tsx';

export type Person = Omit<Schemas['Session'], 'account'> & {
  account: Schemas['Account'] | null;
  /** Where the memberships that are not here begin. */
  next: string | undefined;
};

/** Who is signed in, as it is loaded. */
export const personLoading = createLoading<Person>(async () => {
  const { data, next } = await answerOf(api.GET('/whoami'));
  return { ...data, next };
});

/** Who is signed in: their account, if they have one, their roles and invitations. */
export const { state: person, reload: loadPerson } = personLoading;

/** The ID of the account of whoever is signed in; undefined before it is known, and where they have none. */
export function ownAccountId(): string | undefined {
  const { value } = person;
  return value.kind === 'ready' ? value.value.account?.account_id : undefined;
}

/** Whether somebody may put files into a repository: it is theirs, or they have a role there that writes. */
export function mayWrite(
  { account, memberships }: Pick<Person, 'account' | 'memberships'>,
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

/** Whether an account is theirs, or they have a role in it or in a repository of it. */
export function isWithin(account_id: string): boolean {
  if (person.value.kind !== 'ready') return false;
  const { account, memberships } = person.value.value;
  return account?.account_id === account_id || memberships.some((each) => each.membership_account_id === account_id);
}

/** The next of their memberships. Throws Problem. */
export async function loadMoreMemberships(): Promise<void> {
  const state = person.value;
  if (state.kind !== 'ready' || state.value.next === undefined) return;
  const cursor = state.value.next;
  const { data, next } = await answerOf(api.GET('/whoami', { params: { query: { cursor } } }));
  const memberships = [...state.value.memberships, ...data.memberships];
  personLoading.extend(state.value, { ...state.value, memberships, next });
}
