import { render } from 'preact';
import { consolePath } from '../../lib/pages/site/console-configuration.ts';
import { AccountMenu } from '../account-menu/menu.tsx';
import { type MenuAccount, menuAccountOf, rememberAccount, rememberedAccount } from '../sign-in/menu-account.ts';
import { signOutInConsole } from '../sign-in/sign-out-in-console.ts';
import { followSignIn } from '../sign-in/stored.ts';
import { fetchAsUser } from './fetch-as-user.ts';

/** Replaces the sign-in link with the account menu of the signed-in user. */
export function showAccountMenu(slot: HTMLElement): void {
  const remembered = rememberedAccount();
  let account = remembered?.account;
  let isLoading = false;
  const load = async () => {
    if (isLoading) return;
    isLoading = true;
    const loaded = await loadAccount();
    if (loaded === undefined) return;
    rememberAccount(loaded);
    account = loaded;
    show();
  };
  const show = () => {
    const onApproach = remembered?.isStale ? () => void load() : undefined;
    render(<AccountMenu account={account} {...(onApproach && { onApproach })} onSignOut={signOutInConsole} />, slot);
  };
  const link = [...slot.childNodes];
  slot.replaceChildren();
  show();
  followSignIn((now) => {
    if (now !== undefined) return;
    render(null, slot);
    slot.replaceChildren(...link);
  });
  if (remembered === undefined) void load();
}

interface Session {
  account: { account_id: string; profile: { name?: string } } | null;
  memberships: Parameters<typeof menuAccountOf>[0]['memberships'];
}

/** Loads the data of the account menu. Returns undefined if the API does not answer. */
async function loadAccount(): Promise<MenuAccount | null | undefined> {
  const session = await fetchAsUser<Session>('/whoami');
  if (session === undefined) return undefined;
  const { account } = session.data;
  const rights =
    account && (await fetchAsUser<{ permissions: string[] }>(`/accounts/${account.account_id}/permissions`));
  const isAdministrator = rights?.data.permissions.includes('createDataConnection') ?? false;
  return menuAccountOf({ ...session.data, next: session.hasMore ? consolePath : undefined }, isAdministrator);
}
