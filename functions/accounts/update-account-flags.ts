import { ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateAccountFlags } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(updateAccountFlags, async ({ target, body, services, event }) => {
  const { account } = target;
  const { account_id } = account;
  // Refuse service accounts: flags give rights to users, and a service account has no rights in the management API.
  if (account.account_type === 'service') {
    throw new ServiceError('wrong_state', 'A service account has no flags; grant it repositories instead');
  }
  await services.store.accounts.setFlags(
    account,
    body,
    event('account.flags_set', account_id, { account_id, flags: body.join(' ') }),
  );
  return body;
});
