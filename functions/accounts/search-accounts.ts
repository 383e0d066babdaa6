import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { searchAccounts } from '../../lib/operations/accounts.ts';
import { AccountSearchStore } from '../../lib/store/accounts/accounts.ts';

export const handler = apiFunction(searchAccounts, async ({ caller, query, services, now }) => {
  const account = actingAccountOf(caller);
  if (account === null) throw new Error('who may invite has an enabled account');
  return new AccountSearchStore(services.store.table).search(query.prefix, account.account_id, now);
});
