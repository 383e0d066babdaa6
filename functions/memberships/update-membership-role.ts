import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateMembershipRole } from '../../lib/operations/memberships.ts';
import { carryOutMove } from '../../lib/store/memberships/memberships.ts';

export const handler = apiFunction(updateMembershipRole, async (context) =>
  carryOutMove('membership.role_changed', { role: context.body }, context),
);
