import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listBlockedAccounts } from '../../lib/operations/blocked-accounts.ts';

export const handler = apiFunction(listBlockedAccounts, async ({ target, page, services }) =>
  services.store.blockedAccounts.list(target.account.account_id, page),
);
