import { requireNoServiceAccount } from '../../lib/domain/accounts/disabling.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { enableAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(enableAccount, async ({ target, actsAsAdmin, services, event }) => {
  const { account } = target;
  const { account_id } = account;
  requireNoServiceAccount(account, 'enable');
  if (!account.disabled) return account;
  const enabled = event('account.enabled', account_id, { account_id });
  return services.store.accounts.setDisabled(account, undefined, enabled, { asAdmin: actsAsAdmin });
});
