import { apiFunction } from '../../lib/deployed/api-function.ts';
import { filteredListPage } from '../../lib/http/filtered-list-page.ts';
import { listTransfers } from '../../lib/operations/transfers.ts';

export const handler = apiFunction(listTransfers, async ({ target, page, services, now }) => {
  const { transfers } = services.store;
  const read = (part: typeof page) => transfers.list(target.account.account_id, part, now);
  // One whose time is over may be there for a while.
  return filteredListPage(read, page, ({ state }) => state === 'offered', transfers.positionOf);
});
