import type { Decision } from '../../domain/data/decision.ts';
import { type ObjectRequest, openNamed, relay, xmlAnswer } from '../objects/object-request.ts';
import { type RepositoryStorage, toBucketKey, toStorageName } from '../repository-storage.ts';
import { type Continuation, type Continuations, foreignToken } from './continuation.ts';
import type { ListInput } from './list-input.ts';
import { fitEntries, type ObjectListPage, readListPage, renderListPage } from './list-page.ts';

/** A request for a list, and where in it the client is. */
export interface List {
  request: ObjectRequest;
  input: ListInput;
  continuations: Continuations;
  from: Continuation;
}

/**
 * A page of one repository. Storage always gets the repository's prefix with whatever the client asks for, so neither a
 * marker nor a continuation token, of whatever origin, reaches a key outside; one that comes back all the same is left
 * out. When the repository ends, the list goes on after the name `thenAfter`, if there is one.
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
    // Keys may hold what XML cannot.
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

/** A page that no storage was asked for; `next` is the name that the following one begins behind. */
export function listAnswer(list: List, entries: ObjectListPage['entries'], next: string | undefined): Decision {
  const { request, input } = list;
  const isTruncated = next !== undefined;
  const page = { entries, isTruncated, next: isTruncated ? nextAfter(list, next) : undefined };
  return { kind: 'respond', answer: xmlAnswer(request.edgeRequest, renderListPage(input, request.account_id, page)) };
}

/** The client's marker or token for what follows a name. */
export function nextAfter({ input, continuations }: List, name: string): string {
  return input.version === 1 ? name : continuations.format({ kind: 'after', after: name });
}

function continued(list: List, page: ObjectListPage, thenAfter: string | undefined): Partial<ObjectListPage> {
  if (page.isTruncated || thenAfter === undefined || list.input.keysMax === 0) return {};
  return { isTruncated: true, next: nextAfter(list, thenAfter) };
}

interface StartPosition {
  parameters: readonly (readonly [name: string, value: string])[];
  /** An entry that ended the page before and that storage would list again. */
  alreadyListed?: string | undefined;
}

/** Where storage is to begin; undefined when that is behind the repository's last possible key. */
function startPosition({ input, from }: List, storage: RepositoryStorage): StartPosition | undefined {
  if (from.kind === 'storage') {
    if (from.repository_id !== storage.repository_id) throw foreignToken();
    return { parameters: [['continuation-token', from.token]] };
  }
  const place = placeInRepository(storage, from.after);
  if (place === 'behind') return undefined;
  if (place === 'before') return { parameters: [] };
  const parameters = [[input.version === 1 ? 'marker' : 'start-after', place.storageKey]] as const;
  // A marker may be the common prefix that a page ended with; not every store knows that it is not due again.
  const isNextPage = input.version === 1 || input.continuationToken !== undefined;
  return isNextPage ? { parameters, alreadyListed: from.after } : { parameters };
}

/** Where a name stands among a repository's keys. */
export function placeInRepository(
  storage: RepositoryStorage,
  name: string | undefined,
): 'before' | 'behind' | { storageKey: string } {
  const start = `${storage.repository_id}/`;
  if (name === undefined) return 'before';
  if (name.startsWith(start)) return { storageKey: toStorageName(storage, name.slice(start.length), 'beginning') };
  return Buffer.compare(Buffer.from(name), Buffer.from(start)) < 0 ? 'before' : 'behind';
}

/** The page, or as much of its beginning as the edge may answer with. */
function renderFitting(list: List, page: ObjectListPage): string {
  const { input, request } = list;
  return fitEntries(page.entries, (entries, isWhole) => {
    const last = entries.at(-1);
    const cut = { isTruncated: true, next: last && nextAfter(list, last.name) };
    return renderListPage(input, request.account_id, { ...page, entries, ...(isWhole ? {} : cut) });
  });
}
