import { newInvitation } from '../../lib/domain/accounts/invitations.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { inviteAccountMember } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(inviteAccountMember, async ({ target, body, services, now, event }) => {
  const membership_account_id = target.account.account_id;
  const membership = await newInvitation({ ...body, membership_account_id }, services, now);
  const { membership_id, account_id, role } = membership;
  const invited = event('membership.invited', membership_account_id, { membership_id, account_id, role });
  await services.store.memberships.invite(membership, invited, now);
  return membership;
});
