import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AccountMenu } from '../account-menu/menu.tsx';
import { type MenuAccount, menuAccountOf, rememberAccount } from '../sign-in/menu-account.ts';
import type { Schemas } from './api/client.ts';
import { pathOf } from './path-patterns.ts';
import { administers } from './platform/permissions.ts';
import { currentLocation, hrefOf } from './router.ts';
import { isOpenRoute, isOpenTo, type Route, routes, sectionsBeside, tabAbove } from './routes.ts';
import { isSignedIn } from './sign-in/session.ts';
import { signOut } from './sign-in/sign-out.ts';
import { user } from './signed-in-user.ts';

/** Renders the right end of the header, which also is on public pages: the account menu, or a link to the sign-in. */
export function AccountOfUser() {
  const account = menuAccount.value;
  useEffect(() => {
    if (account !== undefined) rememberAccount(account);
  }, [account]);
  if (!isSignedIn.value) {
    // Show no sign-in link on other views, because they already contain a sign-in button.
    if (!isOpenRoute(currentLocation.value.path)) return null;
    return (
      <a class="button second" href={hrefOf('/')}>
        Sign in
      </a>
    );
  }
  return <AccountMenu account={account} onSignOut={() => void signOut()} />;
}

/** The data of the account menu. It changes whenever an action reloads the user. */
const menuAccount = computed<MenuAccount | null | undefined>(() => {
  const { value } = user;
  return value.kind === 'ready' ? menuAccountOf(value.value, administers.value) : undefined;
});

/** Renders breadcrumbs. Each part has a text, and each part except the last has a path. */
export function Crumbs({ parts }: { parts: readonly (readonly [words: string, path?: string])[] }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol class="crumbs">
        <li>
          <a href={hrefOf('/')}>Dashboard</a>
        </li>
        {parts.map(([words, path]) => (
          <li key={words}>{path === undefined ? words : <a href={hrefOf(path)}>{words}</a>}</li>
        ))}
      </ol>
    </nav>
  );
}

interface TabsProps {
  of: 'account' | 'repository';
  parameters: Readonly<Record<string, string>>;
  current: Route;
  may: (permission: Schemas['Permission']) => boolean;
}

/** Renders the tabs of an account or repository that the user may open. */
export function Tabs({ of, parameters, current, may }: TabsProps) {
  const shown = routes.filter((route) => route.of === of && route.isTab);
  const above = tabAbove(current)?.path;
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone, the row of tabs is wider than the screen. Scroll the row to the current tab, and do not scroll the
    // page.
    const [tabs, shownTab] = [row.current, row.current?.querySelector<HTMLElement>('[aria-current]')];
    if (tabs && shownTab)
      tabs.scrollLeft = shownTab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - shownTab.offsetWidth) / 2;
  }, [current]);
  return (
    <nav class="tabs" aria-label="Views" ref={row}>
      {shown.map((route) => {
        const { path, title, section } = route;
        // The link of a tab with sections leads to the first section that the user may open.
        const target = section === undefined ? [route] : sectionsBeside(route);
        const first = target.find((each) => isOpenTo(each, may));
        return (
          first && (
            <a
              key={path}
              href={hrefOf(pathOf(first.path, parameters))}
              aria-current={path === current.path ? 'page' : path === above ? 'true' : undefined}
            >
              {title}
            </a>
          )
        );
      })}
    </nav>
  );
}

interface SectionsProps extends Pick<TabsProps, 'parameters' | 'current' | 'may'> {
  children: ComponentChildren;
}

/** Renders a section of a tab beside the navigation of all its sections. */
export function Sections({ parameters, current, may, children }: SectionsProps) {
  const sections = sectionsBeside(current).filter((route) => isOpenTo(route, may));
  return (
    <div class="sections">
      <nav aria-label={(tabAbove(current) ?? current).title}>
        <ul>
          {sections.map(({ path, section }) => (
            <li key={path}>
              <a
                href={hrefOf(pathOf(path, parameters))}
                aria-current={path === current.path ? 'page' : undefined}
                class={section === 'Danger zone' ? 'danger' : undefined}
              >
                {section}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="section">{children}</div>
    </div>
  );
}
