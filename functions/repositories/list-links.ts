import { findLinkRights, linkStateAt } from '../../lib/domain/data/links.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listLinks } from '../../lib/operations/links.ts';

export const handler = apiFunction(listLinks, async ({ target, page, services, now }) => {
  const { store, requestData } = services;
  const { items, next } = await store.links.list(target.repository, page);
  const states = await Promise.all(
    items.map(async (link) => linkStateAt(link, (await findLinkRights(link, requestData)) !== undefined, now)),
  );
  const links = items.map((link, index) => ({ ...link, state: states[index] ?? 'ended' }));
  return store.accountNames.ofCreators({ items: links, next }, target.account);
});
