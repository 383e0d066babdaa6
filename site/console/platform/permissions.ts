import { person } from '../person.ts';
import { loadRights, type Rights } from '../scopes.ts';

export type May = Rights['may'];

/** What this person may do to what belongs to no account, such as data connections. */
export async function loadPlatformPermissions(): Promise<May> {
  const state = person.value;
  const account_id = state.kind === 'ready' ? state.value.account?.account_id : undefined;
  if (account_id === undefined) return () => false;
  return (await loadRights(account_id)).may;
}
