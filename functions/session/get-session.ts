import { getSession } from '../../lib/operations/session.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getSession, async ({ caller, target }) => ({
  identity_id: caller.kind === 'person' ? caller.identity_id : caller.account.identity_id,
  account: caller.account,
  memberships: target.memberships,
}));
