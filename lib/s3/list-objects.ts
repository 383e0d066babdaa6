import type { Decision } from '../domain/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { splitRepository } from './address.ts';
import { type Continuations, sealedContinuations } from './continuation.ts';
import { type ListedEntry, type ListPage, readListPage, renderListPage } from './list-page.ts';
import { type ObjectRequest, openNamed, relay, xmlAnswer } from './object-request.ts';
import { type RepositoryStorage, toBucketKey, toStorageName } from './repository-storage.ts';

/** What a list asks for, in the client's names: keys start with the repository. */
export interface ListInput {
  version: 1 | 2;
  prefix: string;
  delimiter: string | undefined;
  keysMax: number;
  urlEncoded: boolean;
  withOwner: boolean;
  /** `marker` (version 1) or `start-after`. */
  after: string | undefined;
  continuationToken: string | undefined;
}

/** Room for the headers of an answer, which count towards the edge's limit. */
const headersBytesMax = 16 * 1024;

/**
 * ListObjectsV2 and ListObjects of one repository, which the prefix names. Storage always gets the repository's prefix
 * with whatever the client asks for, so neither a marker nor a continuation token, of whatever origin, reaches a key
 * outside; one that comes back all the same is left out.
 */
export async function listObjects(asked: ObjectRequest): Promise<Decision> {
  const input = parseListInput(asked);
  const { repository_id, key: inRepository } = splitRepository(input.prefix);
  if (inRepository === undefined) {
    throw new ServiceError(
      'not_implemented',
      'Listing the repositories of an account is not offered here; give a prefix that starts with <repository>/.',
    );
  }
  const storage = await openNamed(asked, repository_id);
  const continuations = sealedContinuations(storage, await asked.sessionKeys(), asked.now);
  const position = startPosition(input, storage, continuations);
  if (position === undefined) {
    const page: ListPage = { entries: [], isTruncated: false, next: undefined };
    return { kind: 'respond', answer: xmlAnswer(asked.request, renderListPage(input, asked.account_id, page)) };
  }
  const query = new Map([
    ...(input.version === 2 ? [['list-type', '2'] as const] : []),
    ['prefix', toStorageName(storage, inRepository, 'beginning')] as const,
    ['max-keys', String(input.keysMax)] as const,
    // Keys may hold what XML cannot.
    ['encoding-type', 'url'] as const,
    ...(input.delimiter === undefined ? [] : [['delimiter', input.delimiter] as const]),
    ...position.parameters,
  ]);
  return relay(asked, {
    storage,
    method: 'GET',
    key: undefined,
    query,
    headers: {},
    rootName: 'ListBucketResult',
    rewrite: (root) => {
      const page = readListPage(root, input.version, (key) => toBucketKey(storage, key), continuations);
      const entries = page.entries.filter(({ name }) => name !== position.alreadyListed);
      return renderFitting(input, asked.account_id, { ...page, entries }, continuations);
    },
  });
}

function parseListInput({ query, operation }: ObjectRequest): ListInput {
  const keysMax = query.get('max-keys') ?? String(limits.listPageMax);
  if (!/^\d{1,9}$/.test(keysMax)) {
    throw new ServiceError('invalid_request', 'max-keys must be a whole number from 0 on.');
  }
  const encoding = query.get('encoding-type');
  if (encoding !== undefined && encoding !== 'url') {
    throw new ServiceError('invalid_request', 'encoding-type must be url.');
  }
  const version = operation.name === 'ListObjectsV2' ? 2 : 1;
  return {
    version,
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') || undefined,
    keysMax: Math.min(Number(keysMax), limits.listPageMax),
    urlEncoded: encoding === 'url',
    withOwner: version === 1 || query.get('fetch-owner') === 'true',
    after: query.get(version === 1 ? 'marker' : 'start-after') || undefined,
    continuationToken: query.get('continuation-token'),
  };
}

interface StartPosition {
  parameters: readonly (readonly [name: string, value: string])[];
  /** An entry that ended the page before and that storage would list again. */
  alreadyListed?: string;
}

/** Where storage is to begin; undefined when that is behind the repository's last possible key. */
function startPosition(
  { version, after, continuationToken }: ListInput,
  storage: RepositoryStorage,
  continuations: Continuations,
): StartPosition | undefined {
  const start = `${storage.repository_id}/`;
  const parameter = version === 1 ? 'marker' : 'start-after';
  if (continuationToken !== undefined) {
    const continuation = continuations.parse(continuationToken);
    if (continuation.kind === 'storage') return { parameters: [['continuation-token', continuation.token]] };
    const storageKey = toStorageName(storage, continuation.after, 'beginning');
    return { parameters: [[parameter, storageKey]], alreadyListed: start + continuation.after };
  }
  if (after === undefined) return { parameters: [] };
  if (after.startsWith(start)) {
    const parameters = [[parameter, toStorageName(storage, after.slice(start.length), 'beginning')]] as const;
    // A marker may be the common prefix that a page ended with; not every store knows that it is not due again.
    return version === 1 ? { parameters, alreadyListed: after } : { parameters };
  }
  return Buffer.compare(Buffer.from(after), Buffer.from(start)) < 0 ? { parameters: [] } : undefined;
}

/** The page, or as much of its beginning as the edge may answer with. */
function renderFitting(input: ListInput, accountId: string, page: ListPage, continuations: Continuations): string {
  const bytesMax = limits.edgeAnswerBytesMax - headersBytesMax;
  const whole = renderListPage(input, accountId, page);
  if (Buffer.byteLength(whole) <= bytesMax) return whole;
  // Objects and common prefixes come apart, each sorted; a page that ends early must end both at the same name.
  let entries = page.entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  for (;;) {
    entries = entries.slice(0, Math.floor(entries.length * 0.8));
    const next = nextAfter(input, entries.at(-1), continuations);
    const document = renderListPage(input, accountId, { entries, isTruncated: true, next });
    if (entries.length === 0 || Buffer.byteLength(document) <= bytesMax) return document;
  }
}

function nextAfter(
  { version }: ListInput,
  last: ListedEntry | undefined,
  continuations: Continuations,
): string | undefined {
  if (last === undefined || version === 1) return last?.name;
  return continuations.format({ kind: 'after', after: last.name.slice(last.name.indexOf('/') + 1) });
}
