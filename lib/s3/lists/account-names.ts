import type { ListedRepositoryStatus, NamesRange, NamesShare } from '../../domain/data/data-access.ts';
import { givenRepositoryIds, listedRepositories, mayAccessEvery, namePosition } from '../../domain/data/data-lists.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import type { ObjectRequest } from '../objects/object-request.ts';

/** The part of an account's list of repositories that a client requests. */
interface NamesQuery {
  prefix: string;
  /** The name after which the page begins. It can be any text, because it comes from the client. */
  from: string;
  limit: number;
}

const ageMaxSeconds = limits.listedNamesAgeMaxSeconds;

/** A text that sorts before every name, because no name begins with a hyphen. */
const beforeAll = '-';
/** A character that sorts after every character of a name. */
const behindAll = '~';

/**
 * Returns the repositories of an account that a list operation shows, as key prefixes in the order of keys: `a-b/`
 * sorts before `a/`.
 *
 * A list of objects shows the repositories that the caller may read. The function reads the account's public
 * repositories and, in parallel, one second list. A caller who may read the whole account gets the hidden repositories
 * as the second list. Any other caller gets the repositories that are granted to this caller.
 *
 * A list for writers shows the repositories to which the caller may write. It includes public repositories only for a
 * caller who may write to the whole account.
 *
 * Reads at most one page of each list. `next` is the last name of the page if the list continues.
 */
export async function accountNames(request: ObjectRequest, asked: NamesQuery): Promise<ListPage<string>> {
  const none = { items: [], next: undefined };
  const range = rangeOf(asked);
  if (range === undefined) return none;
  const { access, caller, account_id } = request;
  const action = request.operation.right === 'write' ? 'write' : 'read';
  const readNames = (share: NamesShare) => access.readNames(account_id, share, range, ageMaxSeconds);
  const [rights, [owner], anyones = none] = await Promise.all([
    access.readRights(caller.principal, ageMaxSeconds),
    access.readAccounts([account_id], ageMaxSeconds),
    action === 'read' ? readNames('public') : undefined,
  ]);
  if (owner === undefined || owner.disabled) return none;
  const shownOf = (repositories: readonly ListedRepositoryStatus[]) =>
    listedRepositories(caller.principal, action, rights, owner, repositories).map(positionOf);
  const shownPage = ({ items, next }: ListPage<ListedRepositoryStatus>) => ({ items: shownOf(items), next });
  const isPublic = new Set(anyones.items.map(positionOf));
  const given = givenRepositoryIds(caller.principal, rights, account_id).map(namePosition);
  const isEvery = mayAccessEvery(caller.principal, action, rights, owner);
  const [open, others] = await Promise.all([
    isEvery && action === 'write' ? readNames('public').then(shownPage) : shownPage(anyones),
    isEvery
      ? readNames('hidden').then(shownPage)
      : readGiven(
          given.filter((position) => !isPublic.has(position)),
          range,
          async (positions) => shownOf(await access.readRepositories(positions.map(pathIn(account_id)), ageMaxSeconds)),
        ),
  ]);
  // The merged page ends at the smaller of the two last names, because the list with that name may have further names
  // after it.
  const [end] = [open.next, others.next].filter((next) => next !== undefined).sort();
  const positions = [...new Set([...open.items, ...others.items])].sort();
  const known = end === undefined ? positions : positions.filter((position) => position <= end);
  const items = known.slice(0, range.limit);
  return { items, next: items.length < known.length || end !== undefined ? items.at(-1) : undefined };
}

type Positions = Pick<ListPage<string>, 'items' | 'next'>;

/**
 * Returns the first granted repositories that the caller may see. First reads one repository more than the page can
 * contain, because a grant can be out of date. Reads the remaining grants if the caller can no longer access some of
 * these repositories. A page therefore always ends at a name that the caller may see.
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

/**
 * Returns the range of repository names to read from the table. Returns undefined if no valid name can be in the range.
 */
function rangeOf({ prefix, from, limit }: NamesQuery): NamesRange | undefined {
  if (limit === 0 || !/^[a-z0-9-]*$/.test(prefix) || prefix.length > limits.identifierLengthMax) return undefined;
  const to = prefix + behindAll;
  const [start = beforeAll] = [beforeAll, prefix, boundedName(from)].sort().slice(-1);
  return start <= to ? { from: start, to, limit } : undefined;
}

/**
 * Shortens a text to ASCII and to the length of a repository name, because the table rejects longer keys. No name that
 * sorts after the text is skipped.
 */
function boundedName(text: string): string {
  const name = text.slice(0, limits.identifierLengthMax + 1);
  const beyond = name.search(/[^\0-\x7f]/);
  return beyond < 0 ? name : `${name.slice(0, beyond)}${behindAll}`;
}
