import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listBlockedAccounts } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(listBlockedAccounts, async ({ target, page, services }) => {
  const { accountNames, blockedAccounts } = services.store;
  const { items, next } = await blockedAccounts.list(target.account.account_id, page);
  const nameOf = await accountNames.find(
    items.map(({ account_id }) => account_id),
    target.account,
  );
  return { items: items.map((item) => ({ ...item, account_name: nameOf(item.account_id) })), next };
});
