import { ServiceError } from '../../lib/domain/errors.ts';
import { getProfile } from '../../lib/operations/accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getProfile, async ({ target }) => {
  if (target.account.account_type === 'service')
    throw new ServiceError('not_found', 'A service account has no profile');
  return target.account.profile;
});
