import { isOfRepository, type OfRepository } from '../../lib/domain/data/internal-ids.ts';
import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listRepositoryMembers } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(listRepositoryMembers, async ({ target, page, services, now }) => {
  const { account_id, repository_id } = target.repository;
  const { accountNames, memberships } = services.store;
  const read = (part: typeof page) => memberships.listOfScope({ account_id, repository_id }, part, now);
  // Leave out memberships of a deleted repository with the same name. The stream consumer deletes these memberships
  // soon.
  const isOfThis = (membership: OfRepository) => isOfRepository(membership, target.repository);
  const found = await filteredListPage(read, page, isOfThis, memberships.positionOf);
  return accountNames.ofMemberships(found, target.account);
});
