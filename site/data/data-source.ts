import type { FileMetadata, FolderPage } from '../../lib/domain/data/open-data.ts';
import { limits } from '../../lib/domain/limits.ts';
import type { CredentialSource } from './credentials.ts';
import { isDataError } from './data-error.ts';
import type { RepositoryPath } from './keys.ts';
import { type ObjectMetadata, Objects, viewTries } from './objects.ts';
import { createSender } from './sender.ts';
import { signLink } from './shared-links.ts';
import { rangeTransport } from './transport.ts';

/** Reads one repository, or one version of it, with credentials. Keys are relative to the repository. */
export interface DataSource {
  /** Returns one page of a folder. `after` is the `next` of the previous page. */
  list(folder: string, after: string | undefined): Promise<FolderPage>;
  /** Returns the metadata of a file. Returns undefined if the file does not exist. */
  find(key: string): Promise<FileMetadata | undefined>;
  /**
   * Reads the bytes from `start` (inclusive) to `end` (exclusive), or fewer if the file ends earlier. Storage refuses a
   * range that begins at the end of the file or after it.
   *
   * @param etag the state of the file. If the file has changed, the read rejects with the status 412
   */
  read(key: string, start: number, end: number, etag?: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns a URL with which the browser loads one file within the next minutes. */
  link(key: string, options: LinkOptions): Promise<string>;
}

interface LinkOptions {
  /** True if the browser must save the file instead of showing it. */
  isDownload?: boolean;
  /** The content type that the answer to this URL must have. Storage cannot replace it. */
  contentType?: string;
}

interface DataSourceOptions {
  dataUrl: string;
  /** The ID of a version is a part of `repository_id`: `<repository>@<version>`. */
  location: RepositoryPath;
  credentials: CredentialSource;
  /** Ends all requests. */
  signal: AbortSignal;
}

/** The lifetime of a signed URL. A viewer of documents may request further parts of the file a few minutes later. */
const linkSeconds = 15 * 60;

/** Creates a data source. Its functions reject with a DataError, or with the reason of `signal`. */
export function createDataSource({ dataUrl, location, credentials, signal }: DataSourceOptions): DataSource {
  const send = createSender({ dataUrl, location, credentials, transport: rangeTransport });
  const objects = new Objects(send, location);
  return {
    list: async (prefix, continuation) => {
      const query = { prefix, delimiter: '/', pageMax: limits.folderPageMax, continuation } as const;
      const { objects: found, folders, next } = await objects.list(query, signal);
      return { folders, files: found.map(({ key, bytes, modifiedAt: modified }) => ({ key, bytes, modified })), next };
    },
    find: async (key) => {
      const found = await objects.find(key, signal);
      return found && metadataOf(found);
    },
    read: async (key, start, end, etag) => {
      const headers = { range: `bytes=${start}-${end - 1}`, ...(etag !== undefined && { 'if-match': etag }) };
      const answer = await send({ what: key, method: 'GET', key, headers, signal, networkTries: viewTries });
      return answer.bytes ?? new Uint8Array();
    },
    link: async (key, { isDownload, contentType }) => {
      const signed = { dataUrl, location, key, seconds: linkSeconds, isDownload, contentType };
      return (await signLink(signed, await credentials.current(signal))).url;
    },
  };
}

/** Reads a file up to a number of bytes. Returns no bytes for an empty file, and undefined for a missing one. */
export async function readBeginning({ read }: DataSource, key: string, bytesMax: number) {
  try {
    return await read(key, 0, bytesMax);
  } catch (error) {
    if (isDataError(error, 'absent')) return undefined;
    if (isDataError(error) && error.status === 416) return new Uint8Array();
    throw error;
  }
}

function metadataOf({ bytes, modifiedAt, etag, header, headerNames }: ObjectMetadata): FileMetadata {
  const checksums = headerNames.flatMap((name) => {
    const algorithm = /^x-amz-checksum-(crc32|crc32c|crc64nvme|sha1|sha256)$/.exec(name)?.[1];
    const value = header(name);
    return algorithm === undefined || value === null ? [] : [[algorithm.toUpperCase(), value] as const];
  });
  return {
    bytes,
    modified: Number.isNaN(modifiedAt) ? undefined : modifiedAt,
    type: header('content-type') ?? 'application/octet-stream',
    etag: etag || undefined,
    checksums: Object.fromEntries(checksums),
  };
}
