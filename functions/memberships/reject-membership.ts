import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { carryOutMove } from '../../lib/management/membership-changes.ts';
import { rejectMembership } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(rejectMembership, async (context) =>
  carryOutMove('membership.rejected', 'reject', context),
);
