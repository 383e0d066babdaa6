import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from './api/client.ts';
import { Button } from './components/button.tsx';
import { pathOf } from './path-patterns.ts';
import { currentLocation, hrefOf } from './router.ts';
import { isOpenTo, type Route, routes, sectionsBeside, tabAbove } from './routes.ts';
import { signOut } from './sign-in/sign-out.ts';
import { user } from './signed-in-user.ts';

/** Renders the navigation bar with the user's account and the sign-out button. */
export function UserBar() {
  const state = user.value;
  const account = state.kind === 'ready' ? state.value.account : undefined;
  return (
    <nav class="user" aria-label="Console">
      <a href={hrefOf('/')} aria-current={currentLocation.value.path === '/' ? 'page' : undefined}>
        Start
      </a>
      {account && <a href={hrefOf(`/accounts/${account.account_id}`)}>{account.profile.name || account.account_id}</a>}
      <Button kind="plain" label="Sign out" onClick={() => void signOut()} />
    </nav>
  );
}

/** Renders breadcrumbs. Each part has a text, and each part except the last has a path. */
export function Crumbs({ parts }: { parts: readonly (readonly [words: string, path?: string])[] }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol class="crumbs">
        <li>
          <a href={hrefOf('/')}>Console</a>
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
        // A tab with sections leads to the first one that the user may open.
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
