import {
  type FileMetadata,
  type FolderPage,
  type ListedFile,
  type OpenDataReader,
  objectPath,
  pagesHeader,
  repositorySegment,
  type Unread,
} from '../../domain/data/open-data.ts';
import { versionDifferenceSchema } from '../../domain/data/version-difference.ts';
import { limits } from '../../domain/limits.ts';
import { parseXml, type XmlElement, xmlChildren, xmlText } from '../../domain/xml.ts';
import type { FindPagesSecret } from './pages-secret.ts';

/** Time limit of a request to the data proxy. It is short, because a visitor waits for the page. */
const timeoutMs = 5_000;

type FindDataProxy = () => { url: string };

interface AskInit {
  method?: string;
  headers?: Record<string, string>;
}

/**
 * Reads open data through the data proxy without credentials. The proxy decides about access, so a page shows only
 * data that an anonymous reader can read.
 *
 * @param findSecret returns the secret by which the firewall recognizes pages; it affects the rate limit only, not
 * access
 */
export function createOpenDataReader(
  dataProxy: FindDataProxy,
  findSecret: FindPagesSecret = async () => undefined,
): OpenDataReader {
  const ask = (path: string, init: AskInit = {}) => send(dataProxy, findSecret, path, init);
  return {
    async listFolder(path, folder, after) {
      const root = `${repositorySegment(path)}/`;
      const query = rawQueryOf({
        'list-type': '2',
        delimiter: '/',
        'encoding-type': 'url',
        'max-keys': String(limits.folderPageMax),
        prefix: root + folder,
        ...(after === undefined ? {} : { 'continuation-token': after }),
      });
      const answer = await ask(`/${path.account_id}?${query}`);
      if (typeof answer === 'string') return answer;
      return readFolder(await answer.text(), root);
    },

    async findFile(path, key) {
      if (leadsElsewhere(key)) return 'absent';
      const answer = await ask(objectPath(path, key), {
        method: 'HEAD',
        headers: { 'x-amz-checksum-mode': 'ENABLED' },
      });
      return typeof answer === 'string' ? answer : fileMetadataOf(answer.headers);
    },

    async compareVersions(path, earlier, fromKey) {
      const query = rawQueryOf({ 'compare-with': earlier, 'from-key': fromKey });
      const answer = await ask(`${objectPath(path, '')}?${query}`);
      return typeof answer === 'string' ? answer : versionDifferenceSchema.parse(await answer.json());
    },

    async readBeginning(path, key, bytesMax) {
      if (leadsElsewhere(key)) return 'absent';
      const answer = await ask(objectPath(path, key), {
        headers: { range: `bytes=0-${bytesMax - 1}`, 'accept-encoding': 'identity' },
      });
      if (typeof answer === 'string') return answer;
      try {
        return await readAtMost(answer, bytesMax);
      } catch {
        return 'unavailable';
      }
    },
  };
}

/**
 * Returns the query of a URL for the data proxy. The proxy does not read a plus sign as a space, so a space becomes
 * `%20`.
 */
function rawQueryOf(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString().replaceAll('+', '%20');
}

async function send(
  dataProxy: FindDataProxy,
  findSecret: FindPagesSecret,
  path: string,
  init: AskInit,
): Promise<Response | Unread> {
  try {
    const secret = await findSecret();
    const answer = await fetch(dataProxy().url + path, {
      ...init,
      headers: { ...init.headers, ...(secret === undefined ? {} : { [pagesHeader]: secret }) },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (answer.ok) return answer;
    await answer.body?.cancel();
    // Treat 400 as a missing file, because it is the response for a key that is too long for its storage.
    return [400, 403, 404, 416].includes(answer.status) ? 'absent' : 'unavailable';
  } catch {
    return 'unavailable';
  }
}

/**
 * Returns true for keys with dot segments. HTTP clients resolve dot segments, even if they are escaped, and would read
 * another object.
 */
function leadsElsewhere(key: string): boolean {
  return key.split('/').some((part) => part === '.' || part === '..');
}

/**
 * Reads at most `bytesMax` bytes of a response. Does not read more, because a storage that ignores ranges sends the
 * whole object.
 */
async function readAtMost({ body }: Response, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax);
}

function readFolder(document: string, root: string): FolderPage {
  const list = parseXml(document.trim(), 'ListBucketResult', limits.storageXmlElementsMax);
  const relative = (name: string | undefined) => decodeKey(name ?? '').slice(root.length);
  const file = (content: XmlElement): ListedFile => ({
    key: relative(xmlText(content, 'Key')),
    bytes: Number(xmlText(content, 'Size') ?? 0),
    modified: Date.parse(xmlText(content, 'LastModified') ?? ''),
  });
  return {
    folders: xmlChildren(list, 'CommonPrefixes').map((prefix) => relative(xmlText(prefix, 'Prefix'))),
    files: xmlChildren(list, 'Contents').map(file),
    next: xmlText(list, 'NextContinuationToken'),
  };
}

/** Decodes a key that a list returned with `encoding-type=url`. */
function decodeKey(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function fileMetadataOf(headers: Headers): FileMetadata {
  const modified = Date.parse(headers.get('last-modified') ?? '');
  const checksums = [...headers].flatMap(([name, value]) => {
    const algorithm = /^x-amz-checksum-(crc32|crc32c|crc64nvme|sha1|sha256)$/.exec(name)?.[1];
    return algorithm === undefined ? [] : [[algorithm.toUpperCase(), value] as const];
  });
  return {
    bytes: Number(headers.get('content-length') ?? 0),
    modified: Number.isNaN(modified) ? undefined : modified,
    type: headers.get('content-type') ?? 'application/octet-stream',
    etag: headers.get('etag') ?? undefined,
    checksums: Object.fromEntries(checksums),
  };
}
