import { notFound } from '../../lib/http/targets.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getProfile } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(getProfile, async ({ target }) => {
  // A service account has no profile. Return 404, so that the response does not reveal that the service account exists.
  if (target.account.account_type === 'service') return notFound('account');
  return target.account.profile;
});
