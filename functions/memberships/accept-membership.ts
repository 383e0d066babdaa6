import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { acceptMembership } from '../../lib/operations/memberships.ts';
import { carryOutMove } from '../../lib/store/memberships/memberships.ts';

export const handler = apiFunction(acceptMembership, async (context) =>
  carryOutMove('membership.accepted', 'accept', context),
);
