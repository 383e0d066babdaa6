import { shownIssuer } from '../../lib/domain/ci/registered-issuers.ts';
import { limits } from '../../lib/domain/limits.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listIssuers } from '../../lib/operations/issuers.ts';

export const handler = apiFunction(listIssuers, async ({ target, page, services }) => {
  const { accountNames, registeredIssuers } = services.store;
  const { items, next } = await registeredIssuers.list(target.account.account_id, page);
  const [nameOf, trustCounts] = await Promise.all([
    accountNames.find(
      items.map(({ created_by }) => created_by),
      target.account,
    ),
    Promise.all(items.map((item) => registeredIssuers.countTrusts(item, limits.countedTrustsMax))),
  ]);
  const shown = items.map((item, index) => ({
    ...shownIssuer(item),
    created_by_name: nameOf(item.created_by),
    trust_count: trustCounts[index] ?? 0,
  }));
  return { items: shown, next };
});
