import { rememberedAccount } from '../sign-in/menu-account.ts';
import { currentSignIn, followSignIn } from '../sign-in/stored.ts';
import { fetchAsUser } from './fetch-as-user.ts';

/** Permissions to change an account or a repository. A user with one of them sees the "Manage" link. */
const changing = /^(?:create|update|invite|delete|disable|enable|offer|put)/;

/**
 * Shows the "Manage" link if the signed-in user may change the account or the repository of the page. Members are known
 * from the menu's data, without a request. For other users, such as administrators, one request reads the permissions.
 */
export async function showManageLink(link: HTMLElement): Promise<void> {
  const path = link.dataset['manage'] ?? '';
  const [, , account, repository] = path.split('/');
  const writable = rememberedAccount()?.account?.writable ?? [];
  const isWritable = writable.includes(account ?? '') || writable.includes(`${account}/${repository}`);
  if (isWritable || (await mayChange(path))) link.hidden = currentSignIn() === undefined;
  followSignIn((now) => {
    if (now === undefined) link.hidden = true;
  });
}

async function mayChange(path: string): Promise<boolean> {
  const rights = await fetchAsUser<{ permissions: string[] }>(`${path}/permissions`);
  return rights?.data.permissions.some((name) => changing.test(name)) ?? false;
}
