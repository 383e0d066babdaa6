import { ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateProfile } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(updateProfile, async ({ target, body, services, event }) => {
  const { account } = target;
  const { account_id } = account;
  if (account.account_type === 'service') throw new ServiceError('not_found', 'A service account has no profile');
  const fields = Object.keys(body).join(' ');
  return services.store.accounts.setProfileFields(
    account,
    body,
    event('profile.updated', account_id, { account_id, fields }),
  );
});
