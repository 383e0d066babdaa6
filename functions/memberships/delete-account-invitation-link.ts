import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteAccountInvitationLink } from '../../lib/operations/memberships.ts';
import { revokeLink } from '../../lib/store/invitations/invitation-links.ts';

export const handler = apiFunction(deleteAccountInvitationLink, async ({ target, ...context }) =>
  revokeLink({ account_id: target.account.account_id }, context),
);
