import type { ComponentType } from 'preact';
import type { Schemas } from './api/client.ts';
import { matchPath } from './path-patterns.ts';
import type { AccountScope, RepositoryScope } from './scopes.ts';

export interface ViewProps {
  /** The named parts of the path. */
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
}
export interface AccountViewProps extends ViewProps {
  account: AccountScope;
}
export interface RepositoryViewProps extends ViewProps {
  repository: RepositoryScope;
}

type Load<Props> = () => Promise<{ View: ComponentType<Props> }>;

interface Row {
  /** The path below `/-/console`. `:name` matches one path segment. */
  path: string;
  title: string;
  /** The path of the parent view. The default is the start view. */
  below?: string;
  /** The label of the view's tab. A view without a tab is reached by a link. */
  tab?: string;
  /** The permission that the view requires, or several of which one is enough. Other users do not see its tab. */
  needs?: Schemas['Permission'] | readonly Schemas['Permission'][];
}

export type Route = Row &
  (
    | {
        of: 'person';
        /** True when the view is also available without sign-in. */
        isOpen?: true;
        load: Load<ViewProps>;
      }
    /** Has `:account_id` in its path. */
    | { of: 'account'; load: Load<AccountViewProps> }
    /** Has `:account_id` and `:repository_id` in its path. */
    | { of: 'repository'; load: Load<RepositoryViewProps> }
  );

/** All views of the console, in the order of their tabs. Each row has its own chunk. */
export const routes: readonly Route[] = [
  { path: '/', title: 'Start', of: 'person', load: () => import('./views/home.tsx') },
  {
    path: '/new-organization',
    title: 'New organization',
    of: 'person',
    load: () => import('./views/new-organization.tsx'),
  },
  {
    path: '/found-key',
    title: 'I found a key',
    of: 'person',
    isOpen: true,
    load: () => import('./leaked-key/leaked-key.tsx'),
  },
  {
    path: '/administration',
    title: 'Administration',
    of: 'person',
    load: () => import('./platform/administration.tsx'),
  },
  {
    path: '/data-connections',
    title: 'Data connections',
    below: '/administration',
    of: 'person',
    load: () => import('./platform/connections.tsx'),
  },
  {
    path: '/new-data-connection',
    title: 'New data connection',
    below: '/data-connections',
    of: 'person',
    load: () => import('./platform/new-connection.tsx'),
  },
  {
    path: '/data-connections/:data_connection_id',
    title: 'Data connection',
    below: '/data-connections',
    of: 'person',
    load: () => import('./platform/connection.tsx'),
  },
  {
    path: '/accounts/:account_id',
    title: 'Repositories',
    tab: 'Repositories',
    of: 'account',
    load: () => import('./views/repositories.tsx'),
  },
  {
    path: '/accounts/:account_id/new-repository',
    title: 'New repository',
    needs: 'createRepository',
    of: 'account',
    load: () => import('./views/new-repository.tsx'),
  },
  {
    path: '/accounts/:account_id/people',
    title: 'People',
    tab: 'People',
    needs: 'listAccountMembers',
    of: 'account',
    load: () => import('./views/people.tsx'),
  },
  {
    path: '/accounts/:account_id/service-accounts',
    title: 'Service accounts',
    tab: 'Service accounts',
    needs: 'listServiceAccounts',
    of: 'account',
    load: () => import('./views/service-accounts.tsx'),
  },
  {
    path: '/accounts/:account_id/service-accounts/:name',
    title: 'Service account',
    needs: 'listServiceAccounts',
    of: 'account',
    load: () => import('./views/service-account.tsx'),
  },
  {
    path: '/accounts/:account_id/api-keys',
    title: 'API keys',
    tab: 'API keys',
    needs: 'listAccountApiKeys',
    of: 'account',
    load: () => import('./views/account-api-keys.tsx'),
  },
  {
    path: '/accounts/:account_id/transfers',
    title: 'Transfers',
    tab: 'Transfers',
    needs: 'listTransfers',
    of: 'account',
    load: () => import('./views/transfers.tsx'),
  },
  {
    path: '/accounts/:account_id/audit-trail',
    title: 'Audit trail',
    tab: 'Audit trail',
    needs: 'listAuditEvents',
    of: 'account',
    load: () => import('./audit-trail/audit-trail.tsx'),
  },
  {
    path: '/accounts/:account_id/flags',
    title: 'Flags',
    tab: 'Flags',
    needs: 'getAccountFlags',
    of: 'account',
    load: () => import('./platform/flags.tsx'),
  },
  {
    path: '/accounts/:account_id/settings',
    title: 'Settings',
    tab: 'Settings',
    needs: ['updateProfile', 'disableAccount', 'enableAccount', 'deleteAccount'],
    of: 'account',
    load: () => import('./views/account-settings.tsx'),
  },
  {
    path: '/repositories/:account_id/:repository_id',
    title: 'Overview',
    tab: 'Overview',
    of: 'repository',
    load: () => import('./views/repository.tsx'),
  },
  {
    path: '/repositories/:account_id/:repository_id/files',
    title: 'Files',
    tab: 'Files',
    needs: 'getRepositoryOverview',
    of: 'repository',
    load: () => import('./files/view.tsx'),
  },
  {
    path: '/repositories/:account_id/:repository_id/people',
    title: 'People',
    tab: 'People',
    needs: 'listRepositoryMembers',
    of: 'repository',
    load: () => import('./views/repository-people.tsx'),
  },
  {
    path: '/repositories/:account_id/:repository_id/api-keys',
    title: 'API keys',
    tab: 'API keys',
    needs: 'listRepositoryApiKeys',
    of: 'repository',
    load: () => import('./views/repository-api-keys.tsx'),
  },
  {
    path: '/repositories/:account_id/:repository_id/settings',
    title: 'Settings',
    tab: 'Settings',
    needs: 'updateRepository',
    of: 'repository',
    load: () => import('./views/repository-settings.tsx'),
  },
];

/** Returns the tab under which a view without its own tab belongs. */
export function tabAbove(route: Route): Route | undefined {
  if (route.tab !== undefined) return undefined;
  return routes
    .filter(({ of, tab, path }) => of === route.of && tab !== undefined && route.path.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

export function findRoute(path: string): { route: Route; parameters: Record<string, string> } | undefined {
  for (const route of routes) {
    const parameters = matchPath(route.path, path);
    if (parameters !== undefined) return { route, parameters };
  }
  return undefined;
}

/** Returns true when the user has a permission that the view requires. */
export function isOpenTo({ needs }: Pick<Row, 'needs'>, may: (permission: Schemas['Permission']) => boolean): boolean {
  return needs === undefined || [needs].flat().some(may);
}
