import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteRepositoryInvitationLink } from '../../lib/operations/memberships.ts';
import { revokeLink } from '../../lib/store/invitations/invitation-links.ts';

export const handler = apiFunction(deleteRepositoryInvitationLink, async ({ target: { repository }, ...context }) =>
  revokeLink({ account_id: repository.account_id, repository }, context),
);
