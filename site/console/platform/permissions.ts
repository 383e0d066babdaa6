import { api, dataOf, type Schemas } from '../api/client.ts';
import { person } from '../person.ts';

export type May = (permission: Schemas['Permission']) => boolean;

/** What this person may do to what belongs to no account, such as data connections. */
export async function loadPlatformPermissions(): Promise<May> {
  const state = person.value;
  const account_id = state.kind === 'ready' ? state.value.account?.account_id : undefined;
  if (account_id === undefined) return () => false;
  const { permissions } = await dataOf(
    api.GET('/accounts/{account_id}/permissions', { params: { path: { account_id } } }),
  );
  const all = new Set(permissions);
  return (permission) => all.has(permission);
}
