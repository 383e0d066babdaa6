import { notFound } from '../../lib/http/targets.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getProfile } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(getProfile, async ({ target }) => {
  // It has none, and nobody but its managers learns that it is there.
  if (target.account.account_type === 'service') return notFound('account');
  return target.account.profile;
});
