import type { Decision } from '../../domain/data/decision.ts';
import { isBelowReserved } from '../../domain/data/reserved-keys.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isIdentifier } from '../../domain/identifiers.ts';
import { limits } from '../../domain/limits.ts';
import { type XmlElement, xmlDocument, xmlText, xmlTextElement } from '../../domain/xml.ts';
import { accessDenied } from '../errors.ts';
import { copied, ownerElements } from '../objects/multipart.ts';
import { type ObjectRequest, openNamed, relay, xmlAnswer } from '../objects/object-request.ts';
import {
  type RepositoryStorage,
  reservedKeyRefused,
  toBucketKey,
  toStorageName,
  undefinedIfDenied,
} from '../repository-storage.ts';
import { splitRepository } from '../resource.ts';
import { principalElement } from '../response.ts';
import { versionsAreReadOnly } from '../versions/open-version.ts';
import { accountNames } from './account-names.ts';
import { type ListFilter, parseCount, parseListFilter, presentParameters } from './list-input.ts';
import { behind, folderAfter, startInRepository, startOf } from './list-objects.ts';
import {
  createNameWriter,
  fitEntries,
  type ListedEntry,
  nameReader,
  readEntries,
  renderEntries,
  withoutReserved,
} from './list-page.ts';

/**
 * The properties of a list for writers: a list of unfinished uploads, or a list of object versions. A position in such
 * a list consists of a key and an ID.
 */
interface Kind {
  parameter: 'uploads' | 'versions';
  rootName: string;
  maxParameter: 'max-uploads' | 'max-keys';
  idMarkerParameter: 'upload-id-marker' | 'version-id-marker';
  names: Readonly<Record<'bucket' | 'max' | 'id', string>>;
  entries: readonly ('Upload' | 'Version' | 'DeleteMarker')[];
  /** The names of elements to copy from storage's entry, before and after the entry's owner. */
  copied: readonly [before: readonly string[], after: readonly string[]];
  owner: (accountId: string) => string;
}

const kinds = {
  ListMultipartUploads: {
    parameter: 'uploads',
    rootName: 'ListMultipartUploadsResult',
    maxParameter: 'max-uploads',
    idMarkerParameter: 'upload-id-marker',
    names: { bucket: 'Bucket', max: 'MaxUploads', id: 'UploadId' },
    entries: ['Upload'],
    copied: [['UploadId'], ['StorageClass', 'Initiated', 'ChecksumAlgorithm', 'ChecksumType']],
    owner: ownerElements,
  },
  ListObjectVersions: {
    parameter: 'versions',
    rootName: 'ListVersionsResult',
    maxParameter: 'max-keys',
    idMarkerParameter: 'version-id-marker',
    names: { bucket: 'Name', max: 'MaxKeys', id: 'VersionId' },
    entries: ['Version', 'DeleteMarker'],
    copied: [
      ['VersionId', 'IsLatest', 'LastModified', 'ETag', 'ChecksumAlgorithm', 'ChecksumType', 'Size'],
      ['StorageClass'],
    ],
    owner: (accountId) => principalElement('Owner', accountId),
  },
} as const satisfies Record<string, Kind>;

interface MarkedList {
  request: ObjectRequest;
  kind: Kind;
  filter: ListFilter;
  max: number;
  keyMarker: string | undefined;
  idMarker: string | undefined;
}

interface Page {
  entries: readonly ListedEntry[];
  /** The position at which the next page begins. Undefined on the last page. */
  next?: { key: string | undefined; id?: string | undefined } | undefined;
}

/** The maximum number of repositories that one page of an account's list reads, one after another. */
const repositoriesMax = 10;

export const listMultipartUploads = (request: ObjectRequest) => listMarked(request, kinds.ListMultipartUploads);
export const listObjectVersions = (request: ObjectRequest) => listMarked(request, kinds.ListObjectVersions);

/**
 * Lists one repository if the prefix contains its complete name. Otherwise lists the account's repositories to which
 * the caller may write.
 */
async function listMarked(request: ObjectRequest, kind: Kind): Promise<Decision> {
  const { query } = request;
  const list: MarkedList = {
    request,
    kind,
    filter: parseListFilter(query),
    max: parseCount(query, kind.maxParameter, limits.listPageMax),
    keyMarker: query.get('key-marker') || undefined,
    idMarker: query.get(kind.idMarkerParameter) || undefined,
  };
  const { repository_id, version, key: keyPrefix } = splitRepository(list.filter.prefix);
  if (version !== undefined) throw versionsAreReadOnly(version);
  if (keyPrefix === undefined) return listAccount(list);
  const storage = await openNamed(request, repository_id);
  if (isBelowReserved(keyPrefix)) throw reservedKeyRefused();
  return listInTurn(list, keyPrefix, [storage], undefined);
}

/**
 * Lists the unfinished uploads or object versions of an account, when the prefix ends before or inside a repository
 * name. With a delimiter, each repository is a common prefix. Without a delimiter, a page has entries of one repository
 * only, and repositories without entries are skipped. Repositories to which the caller may not write do not influence
 * the response.
 */
async function listAccount(list: MarkedList): Promise<Decision> {
  const { request, filter, max, keyMarker = '' } = list;
  const { prefix, delimiter } = filter;
  if (request.caller.signature === undefined || !isIdentifier(request.account_id)) throw accessDenied();
  if (delimiter !== undefined && delimiter !== '/') {
    throw new ServiceError('not_implemented', 'A list that starts above a repository needs the delimiter /, or none.');
  }
  if (max === 0) return answer(list, { entries: [] });
  const position =
    delimiter === undefined
      ? { from: startOf(keyMarker), limit: repositoriesMax }
      : { from: folderAfter(keyMarker), limit: max };
  const { items, next } = await accountNames(request, { prefix, ...position });
  // The caller may write to no repository with this prefix. The proxy refuses the request with the same error as for a
  // single repository.
  if (items.length === 0 && keyMarker === '') throw accessDenied();
  if (delimiter !== undefined) {
    const entries = items.map((name) => ({ name, elements: undefined }));
    return answer(list, { entries, next: next === undefined ? undefined : { key: next } });
  }
  const opened = await Promise.all(items.map((name) => openNamed(request, name.slice(0, -1)).catch(undefinedIfDenied)));
  const storages = opened.filter((storage) => storage !== undefined);
  return listInTurn(list, '', storages, next === undefined ? undefined : behind(next));
}

/**
 * Reads the repositories one after another, and lists the first one that has entries. Storage always gets the prefix of
 * a repository, so a marker from the client never reaches keys outside the repository. After the last repository, the
 * next page continues after the name `thenAfter`.
 */
function listInTurn(
  list: MarkedList,
  keyPrefix: string,
  [storage, ...others]: readonly RepositoryStorage[],
  thenAfter: string | undefined,
): Decision {
  const { request, kind, filter, max, keyMarker, idMarker } = list;
  if (storage === undefined) return answer(list, { entries: [], next: thenAfter ? { key: thenAfter } : undefined });
  const start = startInRepository(storage, keyMarker);
  if (start === 'behind') return listInTurn(list, keyPrefix, others, thenAfter);
  const query = presentParameters({
    [kind.parameter]: '',
    prefix: toStorageName(storage, keyPrefix, 'list'),
    [kind.maxParameter]: String(max),
    'encoding-type': 'url',
    delimiter: filter.delimiter,
    ...(start === 'before' ? {} : { 'key-marker': start.storageKey, [kind.idMarkerParameter]: idMarker }),
  });
  return relay(request, {
    storage,
    method: 'GET',
    key: undefined,
    query,
    headers: {},
    rootName: kind.rootName,
    rewrite: (root) => {
      const page = readPage(list, root, storage);
      const after = others.length > 0 ? behind(`${storage.repository_id}/`) : thenAfter;
      return render(list, page.next === undefined && after !== undefined ? { ...page, next: { key: after } } : page);
    },
    follow: (root) => {
      const { entries, next } = readPage(list, root, storage);
      if (entries.length > 0 || next !== undefined || others.length === 0) return undefined;
      return listInTurn(list, keyPrefix, others, thenAfter);
    },
  });
}

function readPage({ request, kind, keyMarker }: MarkedList, root: XmlElement, storage: RepositoryStorage): Page {
  const readName = nameReader(root, (key) => toBucketKey(storage, key));
  const [before, after] = kind.copied;
  const owner = kind.owner(request.account_id);
  const entries = readEntries(root, kind.entries, readName, (entry) => ({
    elements: copied(entry, before) + owner + copied(entry, after),
    id: xmlText(entry, kind.names.id),
  }));
  const isTruncated = xmlText(root, 'IsTruncated')?.trim() === 'true';
  const next = { key: readName(xmlText(root, 'NextKeyMarker')), id: xmlText(root, `Next${kind.names.id}Marker`) };
  // The marker may be the common prefix with which the previous page ended. Some storages list this prefix again, so
  // remove it from this page.
  const listed = entries.filter(({ name, elements }) => elements !== undefined || name !== keyMarker);
  const { entries: shown, continueAfter } = withoutReserved(listed, storage.repository_id);
  const position = continueAfter === undefined ? next : { key: continueAfter };
  return { entries: shown, next: isTruncated ? position : undefined };
}

function answer(list: MarkedList, page: Page): Decision {
  return { kind: 'respond', answer: xmlAnswer(list.request.edgeRequest, render(list, page)) };
}

/**
 * Renders a page of a list. If the page does not fit into a Lambda@Edge response, renders as many of its first entries
 * as fit.
 */
function render(list: MarkedList, page: Page): string {
  return fitEntries(page.entries, (entries, isWhole) => {
    const last = entries.at(-1);
    return renderDocument(list, isWhole ? page : { entries, next: { key: last?.name, id: last?.id } });
  });
}

function renderDocument(
  { request, kind, filter, max, keyMarker, idMarker }: MarkedList,
  { entries, next }: Page,
): string {
  const name = createNameWriter(filter);
  return xmlDocument(
    kind.rootName,
    [
      xmlTextElement(kind.names.bucket, request.account_id),
      xmlTextElement('KeyMarker', name(keyMarker) ?? ''),
      xmlTextElement(`${kind.names.id}Marker`, idMarker ?? ''),
      xmlTextElement('NextKeyMarker', name(next?.key)),
      xmlTextElement(`Next${kind.names.id}Marker`, next?.id),
      xmlTextElement('Prefix', name(filter.prefix)),
      xmlTextElement('Delimiter', name(filter.delimiter)),
      xmlTextElement('EncodingType', filter.urlEncoded ? 'url' : undefined),
      xmlTextElement(kind.names.max, String(max)),
      xmlTextElement('IsTruncated', String(next !== undefined)),
      renderEntries(entries, name),
    ].join(''),
  );
}
