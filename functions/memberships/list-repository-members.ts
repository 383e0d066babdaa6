import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listedMemberships } from '../../lib/management/listed-memberships.ts';
import { listPageOfRepository } from '../../lib/management/lists-of-repositories.ts';
import { listRepositoryMembers } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(listRepositoryMembers, async ({ target, page, services, now }) => {
  const { account_id, repository_id } = target.repository;
  const { memberships } = services.store;
  const read = (part: typeof page) => memberships.listOfScope({ account_id, repository_id }, part, now);
  const list = { read, positionOf: memberships.positionOf };
  const found = await listPageOfRepository(list, page, target.repository);
  return listedMemberships(found, target.account, services.store);
});
