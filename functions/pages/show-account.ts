import { limits } from '../../lib/domain/limits.ts';
import { openPageCursor, sealPageCursor } from '../../lib/http/cursor.ts';
import { notFound } from '../../lib/http/targets.ts';
import { searchPageFunction } from '../../lib/lambda/functions/search-functions.ts';
import { showAccount } from '../../lib/operations/pages.ts';
import { accountPage } from '../../lib/pages/site/account.tsx';
import { pageForStranger } from '../../lib/store/repositories/lists-for-strangers.ts';

export const handler = searchPageFunction(showAccount, async ({ target, path, query, services }) => {
  const { account } = target;
  if (account.account_type === 'service' || account.disabled) return notFound('account');
  const after = await openPageCursor({ operation: showAccount, path }, query.cursor, services);
  const page = { limit: limits.cataloguePageMax, after };
  const [{ items, next }, index] = await Promise.all([
    pageForStranger(account, null, page, services.store),
    // Show the page without totals if the search index is missing: before its first build, and during an outage.
    services.catalogueIndex().catch(() => undefined),
  ]);
  return accountPage({
    site: services.site(),
    account,
    dataProxyUrl: services.dataProxy().url,
    repositories: items,
    totals: index?.countsOf({ account_id: account.account_id }).totals,
    next: await sealPageCursor({ operation: showAccount, path }, next, services),
    isFirst: query.cursor === undefined,
  });
});
