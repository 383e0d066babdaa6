import { acceptMembership } from '../../lib/operations/memberships.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';
import { carryOutMove } from '../../lib/runtime/membership-function.ts';

export const handler = apiFunction(acceptMembership, async (context) =>
  carryOutMove('membership.accepted', 'accept', context),
);
