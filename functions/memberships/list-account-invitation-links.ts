import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAccountInvitationLinks } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(listAccountInvitationLinks, async ({ target: { account }, page, services, now }) => {
  const { accountNames, invitationLinks } = services.store;
  return accountNames.ofCreators(await invitationLinks.list({ account_id: account.account_id }, page, now), account);
});
