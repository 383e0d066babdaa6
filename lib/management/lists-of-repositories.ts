import { isOfRepository, type OfRepository } from '../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { filteredListPage } from '../http/filtered-list-page.ts';
import type { Services } from './services.ts';

/** A page of what was given in this repository, without what is left for a moment of another that had its name. */
export async function listPageOfRepository<T extends OfRepository>(
  list: { read: (page: ListPageRequest) => Promise<ListPage<T>>; positionOf: (item: T) => string },
  page: ListPageRequest,
  repository: RepositoryRecord,
  { repositoryIds }: Pick<Services['store'], 'repositoryIds'>,
): Promise<ListPage<T>> {
  const rule = await repositoryIds.ruleFor([{}]);
  return filteredListPage(list.read, page, (item) => isOfRepository(item, repository, rule), list.positionOf);
}
