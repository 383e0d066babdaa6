import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { unblockAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(unblockAccount, async ({ target, path, services, event }) => {
  const { account_id } = target.account;
  const { blocked_account_id } = path;
  const unblocked = event('account.unblocked', account_id, { account_id, blocked_account_id });
  await services.store.blockedAccounts.unblock(account_id, blocked_account_id, unblocked);
  return undefined;
});
