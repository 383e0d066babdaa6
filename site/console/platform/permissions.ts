import { signal } from '@preact/signals';
import { loadRights, type Rights } from '../scopes.ts';
import { ownAccountId } from '../signed-in-user.ts';

export type May = Rights['may'];

/**
 * True after a view has found that the user is a site administrator. It only decides whether the link to the
 * administration is shown. The API checks the permissions itself.
 */
export const administers = signal(false);

/** Loads the user's permissions for resources of the platform, such as data connections. */
export async function loadPlatformPermissions(): Promise<May> {
  const account_id = ownAccountId();
  if (account_id === undefined) return () => false;
  const { may } = await loadRights(account_id);
  administers.value = may('createDataConnection');
  return may;
}
