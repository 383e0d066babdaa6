import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { revokeMembership } from '../../lib/operations/memberships.ts';
import { carryOutMove } from '../../lib/store/memberships/memberships.ts';

export const handler = apiFunction(revokeMembership, async (context) =>
  carryOutMove('membership.revoked', 'revoke', context),
);
