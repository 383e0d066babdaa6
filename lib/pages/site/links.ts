import type { CitationFormatName } from '../../domain/citation/formats.ts';
import { objectPath, type RepositoryPath } from '../../domain/data/open-data.ts';
import { escapedKey, fitsIntoPath, keyOfPath } from '../../domain/data/page-path.ts';

/** Returns the path of an account's page. Like all functions of this module, it escapes the names in the path. */
export function accountPath(accountId: string): string {
  return `/${encodeURIComponent(accountId)}`;
}

/**
 * Returns the path of the page of a repository, of one of its versions, or of a file or folder. The page's canonical
 * URL has this path.
 */
export function repositoryPath(repository: RepositoryPath, path = '', cursor?: string): string {
  const isInPath = path !== '' && fitsIntoPath(path);
  const query = { version: repository.shownVersion?.name, path: isInPath ? undefined : path || undefined, cursor };
  return `/${segmentsOf(repository)}${isInPath ? `/${escapedKey(path)}` : ''}${searchOf(query)}`;
}

/** The parts of a URL that identify the content of a page: the repository, the version, and the file or folder. */
export interface ShownPath {
  account_id: string;
  repository_id: string;
  /** The key of a file, or the prefix of a folder, which ends in a slash. Empty for the repository itself. */
  path: string;
  version: string | undefined;
  cursor: string | undefined;
}

/** Returns what the page at a URL of the site shows. Returns undefined for a URL of any other page. */
export function shownPathOf({ pathname, searchParams }: URL): ShownPath | undefined {
  const match = /^\/([a-z0-9-]+)\/([a-z0-9-]+)(?:\/(.*))?$/.exec(pathname);
  const [, account_id, repository_id, path = ''] = match ?? [];
  if (account_id === undefined || account_id === '-' || account_id === 'api' || repository_id === undefined) {
    return undefined;
  }
  return {
    account_id,
    repository_id,
    path: (keyOfPath(path) ?? path) || (searchParams.get('path') ?? ''),
    version: searchParams.get('version') ?? undefined,
    cursor: searchParams.get('cursor') ?? undefined,
  };
}

/**
 * Returns the path of the page that lists the versions of a repository. With a query, the page compares two versions,
 * or cites one version in a machine-readable format.
 */
export function versionsPath(
  repository: RepositoryPath,
  query: {
    version?: string;
    compare?: string;
    from?: string | undefined;
    citation?: CitationFormatName;
    cursor?: string | undefined;
  } = {},
): string {
  return `/-/versions/${segmentsOf(repository)}${searchOf(query)}`;
}

/** Returns the path of a repository in the console. */
export function consoleRepositoryPath(repository: RepositoryPath): string {
  return `/-/console/repositories/${segmentsOf(repository)}`;
}

function segmentsOf({ account_id, repository_id }: RepositoryPath): string {
  return `${encodeURIComponent(account_id)}/${encodeURIComponent(repository_id)}`;
}

function searchOf(fields: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return query.size === 0 ? '' : `?${query.toString().replaceAll('%2F', '/')}`;
}

/**
 * Returns the path of a page with a scripted preview. With `isFramed`, the page has no header and no footer, because
 * another page shows it in an iframe.
 */
export function previewPath(repository: RepositoryPath, path: string, isFramed = false): string {
  const query = { version: repository.shownVersion?.name, path, frame: isFramed ? '1' : undefined };
  return `/-/preview/${segmentsOf(repository)}${searchOf(query)}`;
}

export interface SearchFields {
  q?: string | undefined;
  tag?: string | undefined;
  account_id?: string | undefined;
  license?: string | undefined;
  format?: string | undefined;
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
