import { revokeMembership } from '../../lib/operations/memberships.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';
import { carryOutMove } from '../../lib/runtime/membership-function.ts';

export const handler = apiFunction(revokeMembership, async (context) =>
  carryOutMove('membership.revoked', 'revoke', context),
);
