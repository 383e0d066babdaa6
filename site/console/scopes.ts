import { shownName } from '../../lib/pages/site/format.ts';
import { type Answer, answerOf, api, dataOf, type Schemas } from './api/client.ts';
import { problemOf } from './api/problem.ts';
import { configuration } from './configuration.ts';

type Permission = Schemas['Permission'];
type Role = Schemas['MembershipRole'];

/**
 * The account of a view, and the user's permissions for it. Views call `may` to decide what to show, and never compare
 * roles.
 */
export interface AccountScope {
  account_id: string;
  /** The account's data. Undefined when the user may read only the public profile. */
  account: Schemas['Account'] | undefined;
  etag: string | undefined;
  /** The account's display name, or its ID. */
  name: string;
  may: (permission: Permission) => boolean;
  /** The roles that this user may assign to members, change, and remove. */
  roles: readonly Role[];
  /** Loads the account again after a change. */
  reload: () => Promise<void>;
}

interface Overview {
  repository: Omit<Schemas['Repository'], 'data'>;
  data: { url: string; s3_uri: string };
  account: Pick<Schemas['Account'], 'profile'>;
  disabledAccount?: Schemas['Account'] | undefined;
}

/** The repository of a view and the user's permissions for it. */
export interface RepositoryScope extends Pick<Overview, 'repository' | 'data'> {
  account_id: string;
  /** The account that owns the repository if it is disabled and the user may know it. */
  disabledAccount: Schemas['Account'] | undefined;
  /** The display name of the account that owns the repository. */
  account_name: string;
  repository_id: string;
  etag: string | undefined;
  title: string;
  may: (permission: Permission) => boolean;
  roles: readonly Role[];
  reload: () => Promise<void>;
}

export type Rights = Pick<AccountScope, 'may' | 'roles'>;

/**
 * Loads the user's permissions for an account. For the user's own account, they also contain permissions for the
 * platform, such as creating data connections.
 */
export async function loadRights(account_id: string): Promise<Rights> {
  const params = { path: { account_id } };
  const { permissions, roles } = await dataOf(api.GET('/accounts/{account_id}/permissions', { params }));
  return { may: mayOf(permissions), roles };
}

export async function loadAccount(account_id: string, reload: () => Promise<void>): Promise<AccountScope> {
  const path = { account_id };
  const { may, roles } = await loadRights(account_id);
  const shown = may('getAccount')
    ? await answerOf(api.GET('/accounts/{account_id}', { params: { path } }))
    : { data: undefined, etag: undefined };
  return {
    account_id,
    account: shown.data,
    etag: shown.etag,
    name: shownName((shown.data?.profile ?? (await findProfile(account_id))).name || account_id),
    may,
    roles,
    reload,
  };
}

/**
 * Returns an account's public profile, or an empty one if the request fails. The view then shows the account ID as the
 * name.
 */
async function findProfile(account_id: string): Promise<Schemas['AccountProfile']> {
  return dataOf(api.GET('/accounts/{account_id}/profile', { params: { path: { account_id } } })).catch(() => ({}));
}

/** Returns an account, or undefined if the user may not read it. */
async function findAccount(account_id: string): Promise<Schemas['Account'] | undefined> {
  return dataOf(api.GET('/accounts/{account_id}', { params: { path: { account_id } } })).catch(() => undefined);
}

export async function loadRepository(
  path: { account_id: string; repository_id: string },
  reload: () => Promise<void>,
): Promise<RepositoryScope> {
  const { data, etag } = await loadOverview(path);
  const { repository, account, data: location, permissions, roles, disabledAccount } = data;
  return {
    ...path,
    account_name: shownName(account.profile.name || path.account_id),
    repository,
    disabledAccount,
    data: location,
    etag,
    title: shownName(repository.meta.title || path.repository_id),
    may: mayOf(permissions),
    roles,
    reload,
  };
}

type RepositoryPath = { account_id: string; repository_id: string };

async function loadOverview(
  path: RepositoryPath,
): Promise<Omit<Answer<Overview & { permissions: readonly Permission[]; roles: readonly Role[] }>, 'next'>> {
  try {
    return await answerOf(api.GET('/repositories/{account_id}/{repository_id}/overview', { params: { path } }));
  } catch (error) {
    if (problemOf(error).code !== 'access_denied') throw error;
    return loadDisabled(path);
  }
}

/**
 * Loads a disabled repository, whose overview the API does not return. Only users who manage the repository may read
 * its settings.
 */
async function loadDisabled(path: RepositoryPath) {
  const params = { path };
  const { account_id, repository_id } = path;
  const [{ data: repository, etag }, { permissions, roles }, profile] = await Promise.all([
    answerOf(api.GET('/repositories/{account_id}/{repository_id}', { params })),
    dataOf(api.GET('/repositories/{account_id}/{repository_id}/permissions', { params })),
    findProfile(account_id),
  ]);
  const location = {
    url: `${configuration.data_url}/${account_id}/${repository_id}/`,
    s3_uri: `s3://${account_id}/${repository_id}/`,
  };
  const disabledAccount = repository.disabled ? undefined : await findAccount(account_id);
  return { data: { repository, account: { profile }, disabledAccount, data: location, permissions, roles }, etag };
}

function mayOf(permissions: readonly Permission[]): (permission: Permission) => boolean {
  const all = new Set(permissions);
  return (permission) => all.has(permission);
}
