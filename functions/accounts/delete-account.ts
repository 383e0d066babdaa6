import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { invalidInput, ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(deleteAccount, async ({ caller, target, body, services, event }) => {
  const { account } = target;
  const { account_id, account_type } = account;
  if (account_type === 'service') {
    throw new ServiceError('wrong_state', 'A service account is deleted by its owner, as a service account');
  }
  if (body.confirm !== account_id) throw invalidInput([{ path: 'confirm', message: `must be "${account_id}"` }]);
  if (account_type === 'organization' && !account.disabled) {
    throw new ServiceError('wrong_state', 'The organization is enabled; disable it first');
  }
  // Write the event to the audit trail of the administrator who deleted the account as well. Nobody can read the trail
  // of a deleted account.
  const trails = [...new Set([account_id, trailOf(caller)])];
  const deleted = trails.map((trail) => event('account.deleted', trail, { account_id, account_type }));
  await services.store.accountEnds.delete(account, deleted);
  return undefined;
});
