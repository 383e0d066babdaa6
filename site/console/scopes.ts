import { type Answer, answerOf, api, dataOf, type Schemas } from './api/client.ts';
import { problemOf } from './api/problem.ts';
import { configuration } from './configuration.ts';

type Permission = Schemas['Permission'];

/** The account that a view is about, and what this person may do with it: buttons come from `may`, never from a role. */
export interface AccountScope {
  account_id: string;
  /** Absent for whoever may not see all of it. */
  account: Schemas['Account'] | undefined;
  etag: string | undefined;
  name: string;
  may: (permission: Permission) => boolean;
  /** After a change. */
  reload: () => Promise<void>;
}

type Overview = { repository: Omit<Schemas['Repository'], 'data'>; data: { url: string; s3_uri: string } };

/** The repository that a view is about. */
export interface RepositoryScope extends Overview {
  account_id: string;
  repository_id: string;
  etag: string | undefined;
  title: string;
  may: (permission: Permission) => boolean;
  reload: () => Promise<void>;
}

export async function loadAccount(account_id: string, reload: () => Promise<void>): Promise<AccountScope> {
  const path = { account_id };
  const { permissions } = await dataOf(api.GET('/accounts/{account_id}/permissions', { params: { path } }));
  const may = mayOf(permissions);
  const shown = may('getAccount')
    ? await answerOf(api.GET('/accounts/{account_id}', { params: { path } }))
    : { data: undefined, etag: undefined };
  return {
    account_id,
    account: shown.data,
    etag: shown.etag,
    name: shown.data?.profile.name || account_id,
    may,
    reload,
  };
}

export async function loadRepository(
  path: { account_id: string; repository_id: string },
  reload: () => Promise<void>,
): Promise<RepositoryScope> {
  const { data, etag } = await loadOverview(path);
  const { repository, data: place, permissions } = data;
  return {
    ...path,
    repository,
    data: place,
    etag,
    title: repository.meta.title || path.repository_id,
    may: mayOf(permissions),
    reload,
  };
}

type RepositoryPath = { account_id: string; repository_id: string };

async function loadOverview(
  path: RepositoryPath,
): Promise<Omit<Answer<Overview & { permissions: readonly Permission[] }>, 'next'>> {
  try {
    return await answerOf(api.GET('/repositories/{account_id}/{repository_id}/overview', { params: { path } }));
  } catch (error) {
    if (problemOf(error).code !== 'access_denied') throw error;
    return loadDisabled(path);
  }
}

/** Nobody reads the data of what is disabled, so it has no overview; those who manage it see its record. */
async function loadDisabled(path: RepositoryPath) {
  const params = { path };
  const [{ data: repository, etag }, { permissions }] = await Promise.all([
    answerOf(api.GET('/repositories/{account_id}/{repository_id}', { params })),
    dataOf(api.GET('/repositories/{account_id}/{repository_id}/permissions', { params })),
  ]);
  const { account_id, repository_id } = path;
  const place = {
    url: `${configuration.data_url}/${account_id}/${repository_id}/`,
    s3_uri: `s3://${account_id}/${repository_id}/`,
  };
  return { data: { repository, data: place, permissions }, etag };
}

function mayOf(permissions: readonly Permission[]): (permission: Permission) => boolean {
  const all = new Set(permissions);
  return (permission) => all.has(permission);
}
