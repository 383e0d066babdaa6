import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listRepositoryInvitationLinks } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(listRepositoryInvitationLinks, async ({ target, page, services, now }) => {
  const { account, repository } = target;
  const { accountNames, invitationLinks } = services.store;
  const links = await invitationLinks.list({ account_id: account.account_id, repository }, page, now);
  return accountNames.ofCreators(links, account);
});
