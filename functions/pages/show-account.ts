import { limits } from '../../lib/domain/limits.ts';
import { openPageCursor, sealPageCursor } from '../../lib/http/cursor.ts';
import { notFound } from '../../lib/http/targets.ts';
import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import { showAccount } from '../../lib/operations/pages.ts';
import { accountPage } from '../../lib/pages/site/account.tsx';
import { pageForStranger } from '../../lib/store/repositories/lists-for-strangers.ts';

export const handler = pageFunction(showAccount, async ({ target, path, query, services }) => {
  const { account } = target;
  if (account.account_type === 'service' || account.disabled) return notFound('account');
  const after = await openPageCursor({ operation: showAccount, path }, query.cursor, services);
  const page = { limit: limits.cataloguePageMax, after };
  const { items, next } = await pageForStranger(account, null, page, services.store);
  return accountPage({
    site: services.site(),
    account,
    repositories: items,
    next: await sealPageCursor({ operation: showAccount, path }, next, services),
    isFirst: query.cursor === undefined,
  });
});
