import { updateMembershipRole } from '../../lib/operations/memberships.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';
import { carryOutMove } from '../../lib/runtime/membership-function.ts';

export const handler = apiFunction(updateMembershipRole, async (context) =>
  carryOutMove('membership.role_changed', { role: context.body }, context),
);
