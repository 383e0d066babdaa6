import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { rejectMembership } from '../../lib/operations/memberships.ts';
import { carryOutMove } from '../../lib/store/memberships/memberships.ts';

export const handler = apiFunction(rejectMembership, async (context) =>
  carryOutMove('membership.rejected', 'reject', context),
);
