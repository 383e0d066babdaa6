import { notFound } from '../../lib/http/targets.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getProfile } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(getProfile, async ({ target }) => {
  // A service account has no profile. A 404 hides its existence from other callers.
  if (target.account.account_type === 'service') return notFound('account');
  return target.account.profile;
});
