import type { Decision } from '../../domain/data/decision.ts';
import { isBelowReserved } from '../../domain/data/reserved-keys.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isIdentifier } from '../../domain/identifiers.ts';
import { xmlTextElement } from '../../domain/xml.ts';
import { accessDenied } from '../errors.ts';
import { type ObjectRequest, openNamed, relay, xmlAnswer } from '../objects/object-request.ts';
import { type RepositoryStorage, reservedKeyRefused, toBucketKey, toStorageName } from '../repository-storage.ts';
import { compareKeys, type NamedVersion, splitRepository } from '../resource.ts';
import { principalElement } from '../response.ts';
import { listEntries } from '../versions/list-entries.ts';
import type { ManifestEntry } from '../versions/manifest.ts';
import { openVersion } from '../versions/open-version.ts';
import { accountNames } from './account-names.ts';
import { type Continuation, type Continuations, createContinuations, foreignToken } from './continuation.ts';
import { type ListInput, parseListInput, presentParameters } from './list-input.ts';
import { fitEntries, type ObjectListPage, readListPage, renderListPage, withoutReserved } from './list-page.ts';

/** A list request, with the position at which its page begins. */
interface List {
  request: ObjectRequest;
  input: ListInput;
  continuations: Continuations;
  from: Continuation;
}

/**
 * Implements ListObjectsV2 and ListObjects. Lists one repository if the prefix contains its complete name. Otherwise,
 * lists the account.
 */
export async function listObjects(request: ObjectRequest): Promise<Decision> {
  const input = parseListInput(request);
  const continuations = createContinuations(request.account_id, await request.sessionKeys(), request.now);
  const { continuationToken: token, after } = input;
  const from: Continuation = token === undefined ? { kind: 'after', after } : continuations.parse(token);
  const list: List = { request, input, continuations, from };
  const { repository_id, version, key: keyPrefix } = splitRepository(input.prefix);
  if (keyPrefix === undefined) return listAccount(list);
  return version === undefined
    ? listRepository(list, { repository_id, keyPrefix })
    : listVersion(list, version, keyPrefix);
}

/**
 * The number of repositories that one page reads. The page lists the keys of the first repository. A second repository
 * shows that the list continues after this page.
 */
const repositoriesRead = 2;

/**
 * Lists the objects of an account when the prefix does not contain a complete repository name. With a delimiter, each
 * visible repository is a common prefix. Without a delimiter, the keys of one visible repository follow those of
 * another, and a page has keys of one repository only. Hidden repositories do not change the number of entries or the
 * ends of pages, so a caller cannot detect them.
 */
async function listAccount(list: List): Promise<Decision> {
  const { request, input } = list;
  if (request.caller.principal.kind === 'link') throw accessDenied();
  if (input.delimiter !== undefined && input.delimiter !== '/') {
    throw new ServiceError('not_implemented', 'A list that starts above a repository needs the delimiter /.');
  }
  if (!isIdentifier(request.account_id)) throw accessDenied();
  return input.delimiter === undefined ? listKeys(list) : listPrefixes(list);
}

async function listPrefixes(list: List): Promise<Decision> {
  const { request, input, from } = list;
  if (from.kind === 'storage') throw foreignToken();
  const range = { prefix: input.prefix, from: folderAfter(from.after ?? ''), limit: input.keysMax };
  const names = await accountNames(request, range);
  const entries = names.items.map((name) => ({ name, elements: undefined }));
  return listAnswer(list, entries, names.next);
}

/**
 * Returns the position after a name in a list of folders. If the name is in a repository that was listed as a folder,
 * the position is after that repository.
 */
export function folderAfter(name: string): string {
  const start = startOf(name);
  return start === name && start.endsWith('/') ? behind(start) : start;
}

async function listKeys(list: List): Promise<Decision> {
  const { from, input, request } = list;
  const start = from.kind === 'storage' ? `${from.repository_id}/` : startOf(from.after ?? '');
  const limit = Math.min(input.keysMax, repositoriesRead);
  const { items, next } = await accountNames(request, { prefix: input.prefix, from: start, limit });
  const [prefix, following = next] = items;
  if (prefix === undefined) return listAnswer(list, [], next && behind(next));
  const repository_id = prefix.slice(0, -1);
  // A token of the storage is valid only in the repository for which it was issued. If the caller can no longer see
  // that repository, the page begins at the start of the next repository.
  const isOfAnother = from.kind === 'storage' && from.repository_id !== repository_id;
  return listRepository(isOfAnother ? { ...list, from: { kind: 'after', after: undefined } } : list, {
    repository_id,
    keyPrefix: '',
    thenAfter: following === undefined ? undefined : behind(prefix),
  });
}

/**
 * Returns the repository prefix of a key. A list that ended at the key continues inside this repository, because the
 * repository may have more keys.
 */
export function startOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash + 1);
}

/**
 * Returns a position after all keys of a repository and before the next repository. It ends in `0`, because `0` follows
 * `/` in ASCII.
 */
export function behind(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

/**
 * Lists one page of a repository. Storage always gets the repository's prefix, so a marker or token from the client
 * never reaches keys outside the repository. If storage returns such a key anyway, the page leaves it out.
 * After the repository's last page, the list continues after the name `thenAfter`, if there is one.
 */
async function listRepository(
  list: List,
  { repository_id, keyPrefix, thenAfter }: { repository_id: string; keyPrefix: string; thenAfter?: string | undefined },
): Promise<Decision> {
  const { request, input, continuations } = list;
  const storage = await openNamed(request, repository_id);
  if (isBelowReserved(keyPrefix)) throw reservedKeyRefused();
  const position = startPosition(list, storage);
  if (position === undefined) return listAnswer(list, [], undefined);
  const query = presentParameters({
    'list-type': input.version === 2 ? '2' : undefined,
    prefix: toStorageName(storage, keyPrefix, 'list'),
    'max-keys': String(input.keysMax),
    // Request URL encoding, because keys may contain characters that XML cannot represent.
    'encoding-type': 'url',
    delimiter: input.delimiter,
    ...position.parameters,
  });
  return relay(request, {
    storage,
    method: 'GET',
    key: undefined,
    query,
    headers: {},
    rootName: 'ListBucketResult',
    rewrite: (root) => {
      const page = readListPage(root, input, request.account_id, {
        toName: (key) => toBucketKey(storage, key),
        toToken: (token) => continuations.format({ kind: 'storage', repository_id, token }),
      });
      const listed = page.entries.filter(({ name }) => name !== position.alreadyListed);
      const { entries, continueAfter } = withoutReserved(listed, repository_id);
      const isCut = page.isTruncated && continueAfter !== undefined;
      const next = isCut ? nextAfter(list, continueAfter) : page.next;
      return renderFitting(list, { ...page, entries, next, ...continued(list, page, thenAfter) });
    },
  });
}

/** Lists one page of a repository version from its manifest, without a list request to the storage. */
async function listVersion(list: List, version: NamedVersion, keyPrefix: string): Promise<Decision> {
  const { request, input, from } = list;
  if (from.kind === 'storage') throw foreignToken();
  const { storage, manifest } = await openVersion(request, request.account_id, version);
  if (isBelowReserved(keyPrefix)) throw reservedKeyRefused();
  const start = `${storage.repository_id}/`;
  const position = startIn(start, from.after);
  if (position === 'behind') return listAnswer(list, [], undefined);
  const { names, isTruncated } = await listEntries(manifest, {
    prefix: keyPrefix,
    delimiter: input.delimiter,
    after: position === 'before' ? undefined : position.key,
    isNextPage: isNextPage(input),
    max: input.keysMax,
  });
  const owner = input.withOwner ? principalElement('Owner', request.account_id) : '';
  const listed = names.map(({ name, entry }) => ({ name: start + name, elements: entry && elementsOf(entry) + owner }));
  const last = listed.at(-1);
  // Puts objects before common prefixes, as S3 does.
  const entries = [...listed.filter(({ elements }) => elements), ...listed.filter(({ elements }) => !elements)];
  const page = { entries, isTruncated, next: isTruncated && last ? nextAfter(list, last.name) : undefined };
  return { kind: 'respond', answer: xmlAnswer(request.edgeRequest, renderFitting(list, page)) };
}

function elementsOf({ modified, etag, size }: ManifestEntry): string {
  return [
    xmlTextElement('LastModified', new Date(modified).toISOString()),
    xmlTextElement('ETag', `"${etag}"`),
    xmlTextElement('Size', String(size)),
    xmlTextElement('StorageClass', 'STANDARD'),
  ].join('');
}

/** Renders a page without sending a request to storage. The next page begins after the name `next`. */
function listAnswer(list: List, entries: ObjectListPage['entries'], next: string | undefined): Decision {
  const { request, input } = list;
  const isTruncated = next !== undefined;
  const page = { entries, isTruncated, next: isTruncated ? nextAfter(list, next) : undefined };
  return { kind: 'respond', answer: xmlAnswer(request.edgeRequest, renderListPage(input, request.account_id, page)) };
}

/** Returns the marker (version 1) or continuation token (version 2) for the page that begins after a name. */
function nextAfter({ input, continuations }: List, name: string): string {
  return input.version === 1 ? name : continuations.format({ kind: 'after', after: name });
}

function continued(list: List, page: ObjectListPage, thenAfter: string | undefined): Partial<ObjectListPage> {
  if (page.isTruncated || thenAfter === undefined || list.input.keysMax === 0) return {};
  return { isTruncated: true, next: nextAfter(list, thenAfter) };
}

interface StartPosition {
  parameters: Readonly<Record<string, string>>;
  /** The last entry of the previous page, if the storage may list it again on the next page. */
  alreadyListed?: string | undefined;
}

/**
 * Returns the position at which the storage begins the page of a list. Returns undefined if the position is after the
 * last possible key of the repository.
 */
function startPosition({ input, from }: List, storage: RepositoryStorage): StartPosition | undefined {
  if (from.kind === 'storage') {
    if (from.repository_id !== storage.repository_id) throw foreignToken();
    return { parameters: { 'continuation-token': from.token } };
  }
  const start = startInRepository(storage, from.after);
  if (start === 'behind') return undefined;
  if (start === 'before') return { parameters: {} };
  const parameters = { [input.version === 1 ? 'marker' : 'start-after']: start.storageKey };
  // On a later page, the marker may be the common prefix with which the previous page ended. Some storages list this
  // prefix again, so this page leaves it out.
  return isNextPage(input) ? { parameters, alreadyListed: from.after } : { parameters };
}

function isNextPage({ version, continuationToken }: ListInput): boolean {
  return version === 1 || continuationToken !== undefined;
}

/**
 * Returns the storage key after which a list continues when the client names this key. Outside the repository, returns
 * `before` or `behind`.
 */
export function startInRepository(
  storage: RepositoryStorage,
  name: string | undefined,
): 'before' | 'behind' | { storageKey: string } {
  const start = startIn(`${storage.repository_id}/`, name);
  return typeof start === 'string' ? start : { storageKey: toStorageName(storage, start.key, 'beginning') };
}

function startIn(start: string, name: string | undefined): 'before' | 'behind' | { key: string } {
  if (name === undefined) return 'before';
  if (name.startsWith(start)) return { key: name.slice(start.length) };
  return compareKeys(name, start) < 0 ? 'before' : 'behind';
}

/**
 * Renders a page of a list. If the page does not fit into a Lambda@Edge response, renders as many of its first entries
 * as fit.
 */
function renderFitting(list: List, page: ObjectListPage): string {
  const { input, request } = list;
  return fitEntries(page.entries, (entries, isWhole) => {
    const last = entries.at(-1);
    const cut = { isTruncated: true, next: last && nextAfter(list, last.name) };
    return renderListPage(input, request.account_id, { ...page, entries, ...(isWhole ? {} : cut) });
  });
}
