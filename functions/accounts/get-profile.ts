import { notFound } from '../../lib/http/targets.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getProfile } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(getProfile, async ({ target }) => {
  // Returns 404 for a service account, which has no profile. The response does not reveal that it exists.
  if (target.account.account_type === 'service') return notFound('account');
  return target.account.profile;
});
