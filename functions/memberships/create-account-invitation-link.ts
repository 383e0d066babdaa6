import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createAccountInvitationLink } from '../../lib/operations/memberships.ts';
import { createLink } from '../../lib/store/invitations/invitation-links.ts';

export const handler = apiFunction(createAccountInvitationLink, async ({ target, ...context }) =>
  createLink({ account_id: target.account.account_id }, context),
);
