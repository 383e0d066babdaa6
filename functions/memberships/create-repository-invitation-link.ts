import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createRepositoryInvitationLink } from '../../lib/operations/memberships.ts';
import { createLink } from '../../lib/store/invitations/invitation-links.ts';

export const handler = apiFunction(createRepositoryInvitationLink, async ({ target: { repository }, ...context }) =>
  createLink({ account_id: repository.account_id, repository }, context),
);
