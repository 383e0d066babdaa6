import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { carryOutMove } from '../../lib/management/membership-changes.ts';
import { acceptMembership } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(acceptMembership, async (context) =>
  carryOutMove('membership.accepted', 'accept', context),
);
