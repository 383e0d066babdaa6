import { useEffect, useRef, useState } from 'preact/hooks';
import { Avatar } from '../../lib/pages/site/avatar.tsx';
import { consolePath } from '../../lib/pages/site/console-configuration.ts';
import { shownName } from '../../lib/pages/site/format.ts';
import type { MenuAccount } from '../sign-in/menu-account.ts';

interface AccountMenuProps {
  /** The signed-in user's account. Undefined until it is loaded. Null for a user who has no account yet. */
  account: MenuAccount | null | undefined;
  /** Called when the pointer or the focus reaches the menu button, and when the user opens the menu. */
  onApproach?: () => void;
  onSignOut: () => void;
}

const menuId = 'account-menu';

/** Shows the avatar of the signed-in user as a button, which opens links to the user's own pages. */
export function AccountMenu({ account, onApproach, onSignOut }: AccountMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    const listening = new AbortController();
    for (const type of ['pointerdown', 'focusin']) document.addEventListener(type, leave, listening);
    // A link in the console loads no new page, so the menu would stay open. Close the menu on each click.
    document.addEventListener(
      'click',
      ({ target }) => target instanceof Element && target.closest('.menu') && setOpen(false),
      listening,
    );
    document.addEventListener('keydown', closeByKey, listening);
    return () => listening.abort();
  }, [isOpen]);
  const name = account ? nameOf(account) : undefined;
  return (
    <div class="account-menu" ref={root}>
      <button
        type="button"
        ref={button}
        aria-expanded={isOpen}
        aria-controls={menuId}
        aria-label={name === undefined ? 'Account menu' : `Account menu of ${name}`}
        onClick={() => setOpen(!isOpen)}
        onPointerEnter={onApproach}
        onFocus={onApproach}
      >
        {account ? <Avatar of={{ ...account, account_type: 'user' }} /> : <span class="avatar" aria-hidden="true" />}
        <svg class="caret" viewBox="0 0 12 12" aria-hidden="true">
          <path d="M2.5 4.5 6 8l3.5-3.5" />
        </svg>
      </button>
      <nav id={menuId} class="menu" aria-label="Account" hidden={!isOpen}>
        {isOpen && <Links account={account} onSignOut={onSignOut} />}
      </nav>
    </div>
  );
}

function Links({ account, onSignOut }: Pick<AccountMenuProps, 'account' | 'onSignOut'>) {
  return (
    <>
      {account && (
        <p>
          <strong>{nameOf(account)}</strong>
          <span>{account.account_id}</span>
        </p>
      )}
      <ul>
        <Item path="" words="Dashboard" />
        {account && (
          <>
            <Item path={`/accounts/${account.account_id}`} words="Your account" />
            <Item path={`/accounts/${account.account_id}/new-repository`} words="New repository" />
          </>
        )}
      </ul>
      {account && account.organizations.length > 0 && (
        <>
          <h2>Organizations</h2>
          <ul>
            {account.organizations.map(({ account_id, name }) => (
              <li key={account_id}>
                <a href={`${consolePath}/accounts/${account_id}`}>
                  <Avatar of={{ account_id, name, account_type: 'organization' }} size="small" />
                  <span>{shownName(name || account_id)}</span>
                </a>
              </li>
            ))}
            {account.hasMore && <Item path="" words="All accounts" />}
          </ul>
        </>
      )}
      <ul>
        {account?.isAdministrator && <Item path="/administration" words="Administration" />}
        <li>
          <button type="button" onClick={onSignOut}>
            Sign out
          </button>
        </li>
      </ul>
    </>
  );
}

function Item({ path, words }: { path: string; words: string }) {
  return (
    <li>
      <a href={consolePath + path}>{words}</a>
    </li>
  );
}

function nameOf({ name, account_id }: Pick<MenuAccount, 'name' | 'account_id'>): string {
  return shownName(name || account_id);
}
