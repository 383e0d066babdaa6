import type { Decision } from '../../domain/data/decision.ts';
import { type ObjectRequest, openNamed, relay, xmlAnswer } from '../objects/object-request.ts';
import { type RepositoryStorage, toBucketKey, toStorageName } from '../repository-storage.ts';
import { type Continuation, type Continuations, foreignToken } from './continuation.ts';
import type { ListInput } from './list-input.ts';
import { fitEntries, type ObjectListPage, readListPage, renderListPage } from './list-page.ts';

/** A list request and its position in the list. */
export interface List {
  request: ObjectRequest;
  input: ListInput;
  continuations: Continuations;
  from: Continuation;
}

/**
 * Returns a page of one repository. Storage always gets the repository's prefix, so a marker or token from the client
 * never reaches keys outside it. If storage returns such a key anyway, it is left out. After the repository's end, the
 * list continues after the name `thenAfter`, if there is one.
 */
export async function listRepository(
  list: List,
  { repository_id, keyPrefix, thenAfter }: { repository_id: string; keyPrefix: string; thenAfter?: string | undefined },
): Promise<Decision> {
  const { request, input, continuations } = list;
  const storage = await openNamed(request, repository_id);
  const position = startPosition(list, storage);
  if (position === undefined) return listAnswer(list, [], undefined);
  const query = new Map([
    ...(input.version === 2 ? [['list-type', '2'] as const] : []),
    ['prefix', toStorageName(storage, keyPrefix, 'beginning')] as const,
    ['max-keys', String(input.keysMax)] as const,
    // Keys may contain characters that XML cannot represent.
    ['encoding-type', 'url'] as const,
    ...(input.delimiter === undefined ? [] : [['delimiter', input.delimiter] as const]),
    ...position.parameters,
  ]);
  return relay(request, {
    storage,
    method: 'GET',
    key: undefined,
    query,
    headers: {},
    rootName: 'ListBucketResult',
    rewrite: (root) => {
      const page = readListPage(root, input.version, {
        toName: (key) => toBucketKey(storage, key),
        toToken: (token) => continuations.format({ kind: 'storage', repository_id, token }),
      });
      const entries = page.entries.filter(({ name }) => name !== position.alreadyListed);
      return renderFitting(list, { ...page, entries, ...continued(list, page, thenAfter) });
    },
  });
}

/** Renders a page without a request to storage. The following page begins after the name `next`. */
export function listAnswer(list: List, entries: ObjectListPage['entries'], next: string | undefined): Decision {
  const { request, input } = list;
  const isTruncated = next !== undefined;
  const page = { entries, isTruncated, next: isTruncated ? nextAfter(list, next) : undefined };
  return { kind: 'respond', answer: xmlAnswer(request.edgeRequest, renderListPage(input, request.account_id, page)) };
}

/** Returns the marker (version 1) or token (version 2) for the page after a name. */
function nextAfter({ input, continuations }: List, name: string): string {
  return input.version === 1 ? name : continuations.format({ kind: 'after', after: name });
}

function continued(list: List, page: ObjectListPage, thenAfter: string | undefined): Partial<ObjectListPage> {
  if (page.isTruncated || thenAfter === undefined || list.input.keysMax === 0) return {};
  return { isTruncated: true, next: nextAfter(list, thenAfter) };
}

interface StartPosition {
  parameters: readonly (readonly [name: string, value: string])[];
  /** The last entry of the previous page, if storage may list it again. */
  alreadyListed?: string | undefined;
}

/** Returns the start position for storage, or undefined if it is after the repository's last possible key. */
function startPosition({ input, from }: List, storage: RepositoryStorage): StartPosition | undefined {
  if (from.kind === 'storage') {
    if (from.repository_id !== storage.repository_id) throw foreignToken();
    return { parameters: [['continuation-token', from.token]] };
  }
  const place = placeInRepository(storage, from.after);
  if (place === 'behind') return undefined;
  if (place === 'before') return { parameters: [] };
  const parameters = [[input.version === 1 ? 'marker' : 'start-after', place.storageKey]] as const;
  // A marker may be the common prefix that ended the previous page. Some storages then list this prefix again.
  const isNextPage = input.version === 1 || input.continuationToken !== undefined;
  return isNextPage ? { parameters, alreadyListed: from.after } : { parameters };
}

/** Compares a name with the range of a repository's keys. */
export function placeInRepository(
  storage: RepositoryStorage,
  name: string | undefined,
): 'before' | 'behind' | { storageKey: string } {
  const start = `${storage.repository_id}/`;
  if (name === undefined) return 'before';
  if (name.startsWith(start)) return { storageKey: toStorageName(storage, name.slice(start.length), 'beginning') };
  return Buffer.compare(Buffer.from(name), Buffer.from(start)) < 0 ? 'before' : 'behind';
}

/** Renders the page, or as much of its beginning as fits into a Lambda@Edge response. */
function renderFitting(list: List, page: ObjectListPage): string {
  const { input, request } = list;
  return fitEntries(page.entries, (entries, isWhole) => {
    const last = entries.at(-1);
    const cut = { isTruncated: true, next: last && nextAfter(list, last.name) };
    return renderListPage(input, request.account_id, { ...page, entries, ...(isWhole ? {} : cut) });
  });
}
