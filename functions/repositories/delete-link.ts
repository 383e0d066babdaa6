import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteLink } from '../../lib/operations/links.ts';

export const handler = apiFunction(deleteLink, async ({ target: { repository }, path, services, now, event }) => {
  const { account_id, repository_id } = repository;
  const revoked = event('link.revoked', account_id, { link_id: path.link_id, repository_id });
  await services.store.links.revoke(path.link_id, repository, revoked, now);
  return undefined;
});
