import type { FolderPage } from '../../../lib/domain/data/open-data.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { findReadme } from '../../../lib/pages/site/readme.ts';
import { crc32Of, toBase64 } from '../../data/crc32.ts';
import { CredentialSource, requestCredentials } from '../../data/credentials.ts';
import { isDataError } from '../../data/data-error.ts';
import { createDataSource, type DataSource, readBeginning } from '../../data/data-source.ts';
import type { RepositoryPath } from '../../data/keys.ts';
import { Objects } from '../../data/objects.ts';
import { createSender } from '../../data/sender.ts';
import { fetchTransport } from '../../data/transport.ts';
import { api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { configuration } from '../configuration.ts';

/** The README of a repository, as storage has it. */
export interface StoredReadme {
  key: string;
  text: string;
  etag: string | undefined;
  /** True if the file is larger than the text that the page reads. */
  isCut: boolean;
}

/** The README and the names in the top folder. */
export interface FoundReadme {
  readme: StoredReadme | undefined;
  top: Pick<FolderPage, 'files' | 'folders'>;
  source: DataSource;
}

export const newReadmeKey = 'README.md';

/** Each UTF-16 code unit of the text takes at most three bytes in UTF-8. */
const readmeBytesMax = 3 * limits.markdownCharactersMax;

/** Reads the README of a repository. Throws `Problem`. */
export async function readReadme(location: RepositoryPath, signal: AbortSignal): Promise<FoundReadme> {
  const credentials = new CredentialSource(() => requestCredentials({ api, location, role: 'ReadOnly' }));
  const source = createDataSource({ dataUrl: configuration.data_url, location, credentials, signal });
  try {
    const top = await source.list('', undefined);
    const found = findReadme('', top.files);
    if (found === undefined) return { readme: undefined, top, source };
    const { key } = found;
    const [metadata, bytes] = await Promise.all([source.find(key), readBeginning(source, key, readmeBytesMax)]);
    if (metadata === undefined || bytes === undefined) return { readme: undefined, top, source };
    const text = new TextDecoder().decode(bytes);
    return { readme: { key, text, etag: metadata.etag, isCut: metadata.bytes > bytes.length }, top, source };
  } catch (error) {
    throw problemAt(error);
  }
}

/**
 * Writes the README if nobody has changed it since `etag`, or if it does not exist and `etag` is undefined. Returns
 * false if another user has changed it. Throws `Problem`.
 */
export async function writeReadme(
  location: RepositoryPath,
  { key, text, etag }: Pick<StoredReadme, 'key' | 'text' | 'etag'>,
): Promise<boolean> {
  const credentials = new CredentialSource(() => requestCredentials({ api, location, role: 'FullAccess' }));
  const send = createSender({ dataUrl: configuration.data_url, location, credentials, transport: fetchTransport });
  const body = new Blob([text]);
  const { signal } = new AbortController();
  const headers = {
    'content-type': 'text/markdown; charset=utf-8',
    'x-amz-checksum-crc32': toBase64(await crc32Of(body, signal)),
    ...(etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag }),
  };
  try {
    await new Objects(send, location).put(key, body, headers, { signal });
    return true;
  } catch (error) {
    // Storage answers 404 to `If-Match` for an object that another user has deleted.
    if (isDataError(error, 'exists', 'absent')) return false;
    throw problemAt(error);
  }
}

function problemAt(error: unknown): unknown {
  return isDataError(error) ? new Problem(error.status ?? 0, error.code, error.message) : error;
}
