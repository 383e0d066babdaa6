import { newInvitation } from '../../lib/domain/accounts/invitations.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { inviteRepositoryMember } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(inviteRepositoryMember, async ({ target, body, services, now, event }) => {
  const { account_id: membership_account_id, repository_id, uid: repository_uid } = target.repository;
  const scope = { membership_account_id, repository_id, repository_uid };
  const membership = await newInvitation({ ...body, ...scope }, services, now);
  const { membership_id, account_id, role } = membership;
  const invited = event('membership.invited', membership_account_id, {
    membership_id,
    account_id,
    role,
    repository_id,
  });
  await services.store.memberships.invite(membership, invited, now);
  return membership;
});
