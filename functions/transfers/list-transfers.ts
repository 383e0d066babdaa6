import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listTransfers } from '../../lib/operations/transfers.ts';

export const handler = apiFunction(listTransfers, async ({ target, page, services, now }) => {
  const { accountNames, transfers } = services.store;
  const read = (part: typeof page) => transfers.list(target.account.account_id, part, now);
  // Leave out expired offers, because DynamoDB deletes them only some time after their expiry.
  const { items, next } = await filteredListPage(read, page, ({ state }) => state === 'offered', transfers.positionOf);
  const nameOf = await accountNames.find(
    items.flatMap(({ account_id, to }) => [account_id, to]),
    target.account,
  );
  const named = items.map((item) => ({ ...item, account_name: nameOf(item.account_id), to_name: nameOf(item.to) }));
  return { items: named, next };
});
