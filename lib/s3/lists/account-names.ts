import type { ListedRepositoryStatus, NamesRange } from '../../domain/data/data-access.ts';
import { givenRepositoryIds, listedRepositories, mayReadEvery, namePosition } from '../../domain/data/data-lists.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import type { ObjectRequest } from '../objects/object-request.ts';

/** Where a list begins, and how many it shows. */
interface NamesAsked {
  prefix: string;
  /** Any text that a client may name. */
  from: string;
  limit: number;
}

const ageMaxSeconds = limits.listedNamesAgeMaxSeconds;

/** Before every name: none begins with a hyphen. */
const beforeAll = '-';
/** Behind every character that a name has. */
const behindAll = '~';

/**
 * The repositories of an account that the caller may be shown, as prefixes of keys and in the order of those: `a-b/` comes
 * before `a/`. Reads what anyone may see, and beside it the rest of the account for who may read all of it, or what they
 * were given in others: of each as many as the page may hold. `next` is the last of the page where the list goes on.
 */
export async function accountNames(request: ObjectRequest, asked: NamesAsked): Promise<ListPage<string>> {
  const range = rangeOf(asked);
  if (range === undefined) return { items: [], next: undefined };
  const { access, caller, account_id } = request;
  const [rights, [owner], anyones] = await Promise.all([
    access.readRights(caller.principal, ageMaxSeconds),
    access.readAccounts([account_id], ageMaxSeconds),
    access.readNames(account_id, 'public', range, ageMaxSeconds),
  ]);
  if (owner === undefined || owner.disabled) return { items: [], next: undefined };
  const shownOf = (repositories: readonly ListedRepositoryStatus[]) =>
    listedRepositories(caller.principal, rights, owner, repositories).map(positionOf);
  const isPublic = new Set(anyones.items.map(positionOf));
  const given = givenRepositoryIds(caller.principal, rights, account_id).map(namePosition);
  const others: Positions = mayReadEvery(caller.principal, rights, owner)
    ? await access
        .readNames(account_id, 'hidden', range, ageMaxSeconds)
        .then(({ items, next }) => ({ items: shownOf(items), next }))
    : await readGiven(
        given.filter((position) => !isPublic.has(position)),
        range,
        async (positions) => shownOf(await access.readRepositories(positions.map(pathIn(account_id)), ageMaxSeconds)),
      );
  // Behind the end of either part there may be more of it.
  const [end] = [anyones.next, others.next].filter((next) => next !== undefined).sort();
  const positions = [...new Set([...shownOf(anyones.items), ...others.items])].sort();
  const known = end === undefined ? positions : positions.filter((position) => position <= end);
  const items = known.slice(0, range.limit);
  return { items, next: items.length < known.length || end !== undefined ? items.at(-1) : undefined };
}

type Positions = Pick<ListPage<string>, 'items' | 'next'>;

/**
 * Of what was given, the first that are shown: one more than the page may hold are looked up, and the rest only where too
 * many of those are closed by now. A page therefore ends only at what is shown.
 */
async function readGiven(
  given: readonly string[],
  { from, to, limit }: NamesRange,
  findShown: (positions: readonly string[]) => Promise<string[]>,
): Promise<Positions> {
  const due = given.filter((position) => position >= from && position <= to).sort();
  const shown = await findShown(due.slice(0, limit + 1));
  const rest = shown.length > limit ? [] : due.slice(limit + 1);
  return { items: [...shown, ...(await findShown(rest))], next: undefined };
}

function positionOf({ repository_id }: ListedRepositoryStatus): string {
  return namePosition(repository_id);
}

function pathIn(account_id: string) {
  return (position: string) => ({ account_id, repository_id: position.slice(0, -1) });
}

/** Undefined where no name can be in it. */
function rangeOf({ prefix, from, limit }: NamesAsked): NamesRange | undefined {
  if (limit === 0 || !/^[a-z0-9-]*$/.test(prefix) || prefix.length > limits.identifierLengthMax) return undefined;
  const to = prefix + behindAll;
  const [start = beforeAll] = [beforeAll, prefix, boundedName(from)].sort().slice(-1);
  return start <= to ? { from: start, to, limit } : undefined;
}

/** No longer than a name, and of ASCII alone, with the same names behind it: the table takes no text that is longer. */
function boundedName(text: string): string {
  const name = text.slice(0, limits.identifierLengthMax + 1);
  const beyond = name.search(/[^\0-\x7f]/);
  return beyond < 0 ? name : `${name.slice(0, beyond)}${behindAll}`;
}
