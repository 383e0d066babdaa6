import { isOfRepository, type OfRepository } from '../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import type { Page, PageRequest } from '../domain/pages.ts';
import { filteredPage } from '../http/filtered-page.ts';
import type { Services } from './services.ts';

/** A page of what was given in this repository, without what is left for a moment of another that had its name. */
export async function pageOfRepository<T extends OfRepository>(
  list: { read: (page: PageRequest) => Promise<Page<T>>; positionOf: (item: T) => string },
  page: PageRequest,
  repository: RepositoryRecord,
  { repositoryIds }: Pick<Services['store'], 'repositoryIds'>,
): Promise<Page<T>> {
  const rule = await repositoryIds.ruleFor([{}]);
  return filteredPage(list.read, page, (item) => isOfRepository(item, repository, rule), list.positionOf);
}
