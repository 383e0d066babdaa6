import { signal } from '@preact/signals';
import { ownAccountId } from '../person.ts';
import { loadRights, type Rights } from '../scopes.ts';

export type May = Rights['may'];

/** Whether this person runs the place, once a view has asked: it decides no more than whether the way there is shown. */
export const administers = signal(false);

/** What this person may do to what belongs to no account, such as data connections. */
export async function loadPlatformPermissions(): Promise<May> {
  const account_id = ownAccountId();
  if (account_id === undefined) return () => false;
  const { may } = await loadRights(account_id);
  administers.value = may('createDataConnection');
  return may;
}
