import { linkPath } from '../../lib/pages/site/link-path.ts';
import type { ShownPath } from '../../lib/pages/site/links.ts';
import { DataError } from '../data/data-error.ts';
import type { DataSource } from '../data/data-source.ts';
import type { OpenedLink } from './open-link.ts';

/** The part of a repository that a link shows, and the URLs of its pages. */
export interface SharedPart {
  /** The shared path: empty for the whole repository, a folder with a final slash, or the key of one file. */
  prefix: string;
  isFile: boolean;
  /** The name of the shared file, folder, or repository. */
  name: string;
  contains(path: string): boolean;
  hrefOf(path: string, cursor?: string): string;
  /** Returns the shared path at a URL. Returns undefined for a URL that is not below the link. */
  shownAt(url: URL): ShownPath | undefined;
}

export function sharedPartOf(linkId: string, shared: OpenedLink['shared']): SharedPart {
  const { account_id, repository_id, title, prefix } = shared;
  const isFile = prefix !== '' && !prefix.endsWith('/');
  const name = prefix.split('/').findLast((part) => part !== '') ?? (title || repository_id);
  return {
    prefix,
    isFile,
    name,
    contains: (path) => (isFile ? path === prefix : path.startsWith(prefix)),
    hrefOf: (path, cursor) => linkPath(linkId, path === prefix ? undefined : path, cursor),
    shownAt({ pathname, searchParams }) {
      if (pathname !== linkPath(linkId)) return undefined;
      const path = searchParams.get('path') ?? prefix;
      return { account_id, repository_id, path, version: undefined, cursor: searchParams.get('cursor') ?? undefined };
    },
  };
}

/**
 * Returns a source that refuses to read files outside the shared part. A README can contain images of other folders.
 * The data proxy would refuse them, and the page would then wrongly report that the link has ended.
 */
export function sourceWithin(source: DataSource, { contains }: SharedPart): DataSource {
  const refuseOutside = (key: string) => {
    if (!contains(key)) throw new DataError('absent', 'The link does not show this file.');
  };
  return {
    list: async (folder, after) =>
      contains(folder) ? source.list(folder, after) : { folders: [], files: [], next: undefined },
    find: async (key) => (contains(key) ? source.find(key) : undefined),
    read: async (key, start, end, etag) => {
      refuseOutside(key);
      return source.read(key, start, end, etag);
    },
    link: async (key, options) => {
      refuseOutside(key);
      return source.link(key, options);
    },
  };
}
