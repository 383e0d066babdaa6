import type { ComponentType } from 'preact';
import type { Schemas } from './api/client.ts';
import { matchPath } from './path-patterns.ts';
import type { AccountScope, RepositoryScope } from './scopes.ts';

export interface ViewProps {
  /** The values of the named parts of the path. */
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
  title: string;
  /** The path of the parent view. If undefined, the parent is the start view. */
  below?: string;
  /** True when the view has a tab, labeled with the view's title. Other views are reached only by links. */
  isTab?: true;
  /** The name of the section, if the view is a section of a tab. The side navigation lists all sections of the tab. */
  section?: string;
  /** The permissions that the view requires, of which one is enough. Users without any of them do not see the tab. */
  needs?: Schemas['Permission'] | readonly Schemas['Permission'][];
  /** True when a view of the group `user` is also available without sign-in. */
  isOpen?: true;
}

/**
 * Views by path. The path is relative to the path of the user, account, or repository. `:name` matches one path
 * segment. Each view is loaded as a separate chunk.
 */
type Rows<Props> = Readonly<Record<string, Row & { load: Load<Props> }>>;

const personal: Rows<ViewProps> = {
  '/': { title: 'Dashboard', load: () => import('./views/home.tsx') },
  '/new-organization': { title: 'New organization', load: () => import('./views/new-organization.tsx') },
  '/leaked-key': { title: 'Report a leaked key', isOpen: true, load: () => import('./leaked-key/leaked-key.tsx') },
  '/invitation-links/:invitation_link_id': {
    title: 'Invitation',
    isOpen: true,
    load: () => import('./views/invitation-link.tsx'),
  },
  '/administration': {
    title: 'Administration',
    isTab: true,
    section: 'Accounts',
    needs: 'listAllAccounts',
    load: () => import('./platform/accounts.tsx'),
  },
  '/administration/disabled': {
    title: 'Disabled',
    below: '/administration',
    section: 'Disabled',
    needs: 'listAllAccounts',
    load: () => import('./platform/disabled.tsx'),
  },
  '/administration/connections': {
    title: 'Data connections',
    below: '/administration',
    section: 'Connections',
    needs: 'listAllDataConnections',
    load: () => import('./platform/connections.tsx'),
  },
  '/administration/usage': {
    title: 'Usage',
    below: '/administration',
    section: 'Usage',
    needs: 'getServiceUsage',
    load: () => import('./usage/usage.tsx'),
  },
  '/administration/activity': {
    title: 'Activity',
    below: '/administration',
    section: 'Activity',
    needs: 'listAdministrativeActions',
    load: () => import('./platform/activity.tsx'),
  },
  '/administration/operating': {
    title: 'Operating',
    below: '/administration',
    section: 'Operating',
    needs: 'listAllAccounts',
    load: () => import('./platform/operating.tsx'),
  },
  '/new-data-connection': {
    title: 'New data connection',
    below: '/administration/connections',
    load: () => import('./platform/new-connection.tsx'),
  },
  '/data-connections/:data_connection_id': {
    title: 'Data connection',
    below: '/administration/connections',
    load: () => import('./platform/connection.tsx'),
  },
};

const ofAccounts: Rows<AccountViewProps> = {
  '': { title: 'Repositories', isTab: true, load: () => import('./views/repositories.tsx') },
  '/new-repository': {
    title: 'New repository',
    needs: 'createRepository',
    load: () => import('./views/new-repository.tsx'),
  },
  '/people': { title: 'People', isTab: true, needs: 'listAccountMembers', load: () => import('./views/people.tsx') },
  '/service-accounts': {
    title: 'Service accounts',
    isTab: true,
    needs: 'listServiceAccounts',
    load: () => import('./views/service-accounts.tsx'),
  },
  '/service-accounts/:name': {
    title: 'Service account',
    needs: 'listServiceAccounts',
    load: () => import('./views/service-account.tsx'),
  },
  '/api-keys': {
    title: 'API keys',
    isTab: true,
    needs: 'listAccountApiKeys',
    load: () => import('./views/account-api-keys.tsx'),
  },
  '/storage': {
    title: 'Storage',
    isTab: true,
    needs: 'listAccountDataConnections',
    load: () => import('./storage/storage.tsx'),
  },
  '/storage/connect': {
    title: 'Connect storage',
    needs: 'createAccountDataConnection',
    load: () => import('./storage/connect.tsx'),
  },
  '/storage/connections/:name': {
    title: 'Storage connection',
    needs: 'listAccountDataConnections',
    load: () => import('./storage/own-connection.tsx'),
  },
  '/transfers': {
    title: 'Transfers',
    isTab: true,
    needs: 'listTransfers',
    load: () => import('./views/transfers.tsx'),
  },
  '/usage': {
    title: 'Usage',
    isTab: true,
    needs: 'getAccountUsage',
    load: () => import('./usage/usage.tsx'),
  },
  '/audit-trail': {
    title: 'Audit trail',
    isTab: true,
    needs: 'listAuditEvents',
    load: () => import('./audit-trail/audit-trail.tsx'),
  },
  '/flags': { title: 'Flags', isTab: true, needs: 'getAccountFlags', load: () => import('./platform/flags.tsx') },
  '/settings': {
    title: 'Settings',
    isTab: true,
    section: 'Profile',
    needs: 'updateProfile',
    load: () => import('./views/account-settings.tsx').then(({ Profile: View }) => ({ View })),
  },
  '/settings/issuers': {
    title: 'Issuers of workloads',
    section: 'Issuers',
    needs: 'listIssuers',
    load: () => import('./machines/issuers.tsx'),
  },
  '/settings/blocked-accounts': {
    title: 'Blocked accounts',
    section: 'Blocked accounts',
    needs: 'listBlockedAccounts',
    load: () => import('./views/account-settings.tsx').then(({ BlockedAccounts: View }) => ({ View })),
  },
  '/settings/danger-zone': {
    title: 'Danger zone',
    section: 'Danger zone',
    needs: ['disableAccount', 'enableAccount', 'deleteAccount'],
    load: () => import('./views/account-settings.tsx').then(({ DangerZone: View }) => ({ View })),
  },
};

const ofRepositories: Rows<RepositoryViewProps> = {
  '': { title: 'Overview', isTab: true, load: () => import('./views/repository.tsx') },
  '/readme': { title: 'Edit the README', needs: 'getRepositoryOverview', load: () => import('./readme/editor.tsx') },
  '/files': { title: 'Files', isTab: true, needs: 'getRepositoryOverview', load: () => import('./files/view.tsx') },
  '/versions': {
    title: 'Versions',
    isTab: true,
    needs: 'listVersions',
    load: () => import('./views/versions.tsx'),
  },
  '/versions/:name': { title: 'Version', needs: 'getVersion', load: () => import('./views/version.tsx') },
  '/usage': {
    title: 'Usage',
    isTab: true,
    needs: 'getRepositoryUsage',
    load: () => import('./usage/usage.tsx'),
  },
  '/people': {
    title: 'People',
    isTab: true,
    needs: 'listRepositoryMembers',
    load: () => import('./views/repository-people.tsx'),
  },
  '/api-keys': {
    title: 'API keys',
    isTab: true,
    needs: 'listRepositoryApiKeys',
    load: () => import('./views/repository-api-keys.tsx'),
  },
  '/settings': {
    title: 'Settings',
    isTab: true,
    section: 'General',
    needs: 'updateRepository',
    load: () => import('./views/repository-settings.tsx').then(({ General: View }) => ({ View })),
  },
  '/settings/visibility': {
    title: 'Visibility',
    section: 'Visibility',
    needs: 'updateRepository',
    load: () => import('./views/repository-settings.tsx').then(({ Visibility: View }) => ({ View })),
  },
  '/settings/metadata': {
    title: 'Metadata',
    section: 'Metadata',
    needs: 'updateRepository',
    load: () => import('./views/repository-settings.tsx').then(({ Metadata: View }) => ({ View })),
  },
  '/settings/writing': {
    title: 'Who can write',
    section: 'Writing',
    needs: 'updateRepositorySettings',
    load: () => import('./views/repository-writing.tsx'),
  },
  '/settings/front-page': {
    title: 'Front page',
    section: 'Front page',
    needs: 'featureRepository',
    load: () => import('./views/repository-settings.tsx').then(({ FrontPage: View }) => ({ View })),
  },
  '/settings/storage': {
    title: 'Storage',
    section: 'Storage',
    needs: 'getRepository',
    load: () => import('./views/repository-storage.tsx'),
  },
  '/settings/danger-zone': {
    title: 'Danger zone',
    section: 'Danger zone',
    needs: ['offerTransfer', 'disableRepository', 'enableRepository', 'deleteRepository', 'restoreRepository'],
    load: () => import('./views/repository-endings.tsx'),
  },
};

const routesOf = <Of extends string, Props>(of: Of, base: string, rows: Rows<Props>) =>
  Object.entries(rows).map(([path, row]) => ({ of, path: base + path, ...row }));

/** All views of the console, in the order of their tabs. */
export const routes = [
  ...routesOf('user', '', personal),
  ...routesOf('account', '/accounts/:account_id', ofAccounts),
  ...routesOf('repository', '/repositories/:account_id/:repository_id', ofRepositories),
] as const;

export type Route = (typeof routes)[number];

/** Returns the view with a tab to which a view without its own tab belongs. */
export function tabAbove(route: Route): Route | undefined {
  if (route.isTab) return undefined;
  return routes
    .filter(({ of, isTab, path }) => of === route.of && isTab && route.path.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/** Returns the sections of the tab to which a section belongs. */
export function sectionsBeside(route: Route): Route[] {
  const tab = tabAbove(route) ?? route;
  return routes.filter(({ of, section, path }) => {
    return of === route.of && section !== undefined && `${path}/`.startsWith(`${tab.path}/`);
  });
}

export function findRoute(path: string): { route: Route; parameters: Record<string, string> } | undefined {
  for (const route of routes) {
    const parameters = matchPath(route.path, path);
    if (parameters !== undefined) return { route, parameters };
  }
  return undefined;
}

/** Returns true when the user has a permission that the view requires, or when the view requires none. */
export function isOpenTo({ needs }: Pick<Row, 'needs'>, may: (permission: Schemas['Permission']) => boolean): boolean {
  return needs === undefined || [needs].flat().some(may);
}

export function isOpenRoute(path: string): boolean {
  const route = findRoute(path)?.route;
  return route?.of === 'user' && route.isOpen === true;
}
