import { ServiceError } from '../errors.ts';
import type { VersionDifference } from './version-difference.ts';

/** A file in a list that an anonymous reader sees. Times are in milliseconds since the Unix epoch. */
export interface ListedFile {
  key: string;
  bytes: number;
  modified: number;
}

/** One page of a folder's list. Folder names end in a slash. Keys are relative to the repository. */
export interface FolderPage {
  folders: readonly string[];
  files: readonly ListedFile[];
  /** The position of the next page; undefined on the last page. */
  next: string | undefined;
}

export interface FileMetadata {
  bytes: number;
  modified: number | undefined;
  type: string;
  etag: string | undefined;
  /** Checksums in base64 by algorithm (`SHA256`), as storage returns them. */
  checksums: Readonly<Record<string, string>>;
}

/**
 * The reason why there is no result. `absent`: an anonymous reader cannot see the data, or it does not exist.
 * `unavailable`: the data proxy did not respond.
 */
export type Unread = 'absent' | 'unavailable';

export interface RepositoryPath {
  account_id: string;
  repository_id: string;
  /** The version of the repository whose files a page shows. Absent for the newest state of the repository. */
  shownVersion?: { name: string } | undefined;
}

/**
 * A header of requests that the site's pages send to the data proxy. The viewer function removes it, so it never
 * reaches storage.
 */
export const pagesHeader = 'x-sluice-pages';

/** Reads data for pages through the data proxy without credentials, so that pages show only public data. */
export interface OpenDataReader {
  listFolder(path: RepositoryPath, folder: string, after: string | undefined): Promise<FolderPage | Unread>;
  findFile(path: RepositoryPath, key: string): Promise<FileMetadata | Unread>;
  /**
   * Returns up to `bytesMax` bytes from the start of a file. Returns `absent` for an empty file, because storage
   * refuses a range of it.
   */
  readBeginning(path: RepositoryPath, key: string, bytesMax: number): Promise<Uint8Array | Unread>;
  /** Compares the version of the path with an earlier version. Starts at the given key. */
  compareVersions(path: RepositoryPath, earlier: string, fromKey: string): Promise<VersionDifference | Unread>;
}

/**
 * Returns the first segment of the keys that clients see: the repository ID, or `<repository ID>@<version>` if the path
 * has a version.
 */
export function repositorySegment({ repository_id, shownVersion }: Omit<RepositoryPath, 'account_id'>): string {
  return shownVersion === undefined ? repository_id : `${repository_id}@${shownVersion.name}`;
}

/** Returns the path of a file at the data proxy. */
export function objectPath(path: RepositoryPath, key: string): string {
  return `/${path.account_id}/${repositorySegment(path)}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** Returns the metadata of a public file. Throws `unavailable` when the data proxy does not respond. */
export async function findOpenFile(
  openData: OpenDataReader,
  repository: RepositoryPath,
  key: string,
): Promise<FileMetadata | undefined> {
  const file = await openData.findFile(repository, key);
  if (file === 'absent') return undefined;
  if (file === 'unavailable') {
    throw new ServiceError('unavailable', 'The file cannot be read at the moment; try again in a few seconds');
  }
  return file;
}
