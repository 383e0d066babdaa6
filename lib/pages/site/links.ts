import { objectPath, type RepositoryPath } from '../../domain/data/open-data.ts';

/** Returns the path of an account's page. All functions of this module escape the names in a URL. */
export function accountPath(accountId: string): string {
  return `/${encodeURIComponent(accountId)}`;
}

/** Returns the path of the page of a repository, or of a file or folder in it. This path is also the canonical one. */
export function repositoryPath({ account_id, repository_id }: RepositoryPath, path = '', cursor?: string): string {
  const query = new URLSearchParams({ ...(path === '' ? {} : { path }), ...(cursor === undefined ? {} : { cursor }) });
  const search = query.size === 0 ? '' : `?${query.toString().replaceAll('%2F', '/')}`;
  return `/${encodeURIComponent(account_id)}/${encodeURIComponent(repository_id)}${search}`;
}

/**
 * Returns the path of a page with a scripted preview. With `isFramed`, the page has no header and no footer, because
 * another page shows it in an iframe.
 */
export function previewPath({ account_id, repository_id }: RepositoryPath, path: string, isFramed = false): string {
  const query = new URLSearchParams({ path, ...(isFramed ? { frame: '1' } : {}) });
  const repository = `${encodeURIComponent(account_id)}/${encodeURIComponent(repository_id)}`;
  return `/-/preview/${repository}?${query.toString().replaceAll('%2F', '/')}`;
}

export interface SearchFields {
  q?: string | undefined;
  tag?: string | undefined;
  account_id?: string | undefined;
  license?: string | undefined;
  sort?: string | undefined;
  cursor?: string | undefined;
}

export function searchPath(fields: SearchFields): string {
  const query = new URLSearchParams(
    Object.entries(fields).filter((pair): pair is [string, string] => Boolean(pair[1])),
  );
  return query.size === 0 ? '/-/search' : `/-/search?${query}`;
}

/** Returns a URL without its scheme, to display it. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/^([^/]+)\/$/, '$1');
}

/** Returns the parent folder of a file or folder. The result is empty, or it ends with a slash. */
export function parentFolder(path: string): string {
  return path.slice(0, path.slice(0, -1).lastIndexOf('/') + 1);
}

/** Returns the URL at which clients read the data of a repository or of one object. */
export function dataUrl(dataProxyUrl: string, repository: RepositoryPath, key = ''): string {
  return dataProxyUrl + objectPath(repository, key);
}
