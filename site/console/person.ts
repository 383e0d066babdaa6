import { signal } from '@preact/signals';
import { answerOf, api, type Schemas } from './api/client.ts';
import { problemOf } from './api/problem.ts';
import type { LoadState } from './components/loaded.ts';

export type Person = Omit<Schemas['Session'], 'account'> & {
  account: Schemas['Account'] | null;
  /** There are more memberships than are here. */
  hasMore: boolean;
};

/** Who is signed in: their account, if they have one, their roles and invitations. */
export const person = signal<LoadState<Person>>({ kind: 'loading' });

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

export async function loadPerson(): Promise<void> {
  try {
    const { data, next } = await answerOf(api.GET('/whoami'));
    person.value = { kind: 'ready', value: { ...data, hasMore: next !== undefined } };
  } catch (error) {
    person.value = { kind: 'failed', problem: problemOf(error) };
  }
}
