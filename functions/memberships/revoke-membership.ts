import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { carryOutMove } from '../../lib/management/membership-changes.ts';
import { revokeMembership } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(revokeMembership, async (context) =>
  carryOutMove('membership.revoked', 'revoke', context),
);
