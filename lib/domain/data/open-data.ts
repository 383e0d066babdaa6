/** A file as an anonymous reader sees it in a list. Times are milliseconds since the Unix epoch. */
export interface ListedFile {
  key: string;
  bytes: number;
  modified: number;
}

/** One page of a folder: folders end in a slash, keys begin behind the repository. */
export interface FolderPage {
  folders: readonly string[];
  files: readonly ListedFile[];
  /** Where the next page starts; undefined on the last one. */
  next: string | undefined;
}

export interface FileMetadata {
  bytes: number;
  modified: number | undefined;
  type: string;
  etag: string | undefined;
  /** By algorithm, as the storage tells it: `SHA256`, base64. */
  checksums: Readonly<Record<string, string>>;
}

/** Why the data proxy did not tell: it is not there for an anonymous reader, or it could not be asked. */
export type Unread = 'absent' | 'unavailable';

export interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

/** A header of the pages' requests. The viewer function removes it with all of ours, so that no storage ever sees it. */
export const pagesHeader = 'x-sluice-pages';

/** What pages read of data: through the data proxy and without credentials, so that a page shows what anyone may read. */
export interface OpenDataReader {
  listFolder(place: RepositoryPath, folder: string, after: string | undefined): Promise<FolderPage | Unread>;
  findFile(place: RepositoryPath, key: string): Promise<FileMetadata | Unread>;
  /** The first bytes of a file, at most so many. Of an empty one `absent`: no range of it can be had. */
  readBeginning(place: RepositoryPath, key: string, bytesMax: number): Promise<Uint8Array | Unread>;
}

/** The path of a file at the data proxy. */
export function objectPath({ account_id, repository_id }: RepositoryPath, key: string): string {
  return `/${account_id}/${repository_id}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
