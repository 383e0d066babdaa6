import type { Account } from '../../domain/accounts/accounts.ts';
import { maySeeRepository } from '../../domain/accounts/permissions.ts';
import { isOfRepository } from '../../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { filteredListPage, fitPage, type ListPage, type ListPageRequest } from '../../domain/list-pages.ts';
import type { Store } from '../store.ts';

type Lists = Pick<Store, 'memberships' | 'repositoryLists'>;

/** Returns a page of an account's repositories for a caller who is not a member. Takes two round trips. */
export async function pageForStranger(
  account: Account,
  acting: Account | null,
  page: ListPageRequest,
  lists: Lists,
): Promise<ListPage<RepositoryRecord>> {
  if (account.disabled) return { items: [], next: undefined };
  const { positionOf } = lists.repositoryLists;
  const isPublic = (repository: RepositoryRecord) => maySeeRepository(repository, account, { isMember: false });
  const readPublic = (part: ListPageRequest) => lists.repositoryLists.visibleOfAccount(account.account_id, part);
  const [anyones, joined] = await Promise.all([
    filteredListPage(readPublic, page, isPublic, positionOf),
    acting === null ? [] : joinedRepositories(acting, account, lists),
  ]);
  const { after = '' } = page;
  const isOfPage = (position: string) => position > after && (anyones.next === undefined || position <= anyones.next);
  const more = joined.filter((repository) => !isPublic(repository) && isOfPage(positionOf(repository)));
  const all = [...anyones.items, ...more].sort((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
  const items = fitPage(all, page.limit);
  const last = items.at(-1);
  return { items, next: last !== undefined && items.length < all.length ? positionOf(last) : anyones.next };
}

async function joinedRepositories(member: Account, account: Account, lists: Lists): Promise<RepositoryRecord[]> {
  const roles = await lists.memberships.rolesBelow(member.account_id, account.account_id);
  const repositories = await lists.repositoryLists.named(account.account_id, [...roles.repositories.keys()]);
  return repositories.filter((repository) => {
    const given = roles.repositories.get(repository.repository_id);
    const isMember = given !== undefined && isOfRepository(given, repository);
    return maySeeRepository(repository, account, { isMember });
  });
}
