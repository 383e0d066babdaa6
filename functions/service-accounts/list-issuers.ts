import { shownIssuer } from '../../lib/domain/ci/registered-issuers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listIssuers } from '../../lib/operations/issuers.ts';

export const handler = apiFunction(listIssuers, async ({ target, page, services }) => {
  const { accountNames, registeredIssuers } = services.store;
  const { items, next } = await registeredIssuers.list(target.account.account_id, page);
  const nameOf = await accountNames.find(
    items.map(({ created_by }) => created_by),
    target.account,
  );
  const named = items.map((item) => ({ ...shownIssuer(item), created_by_name: nameOf(item.created_by) }));
  return { items: named, next };
});
