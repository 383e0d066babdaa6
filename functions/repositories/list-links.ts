import { findLinkRights, linkStateAt } from '../../lib/domain/data/links.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listLinks } from '../../lib/operations/links.ts';

export const handler = apiFunction(listLinks, async ({ target, page, services, now }) => {
  const { store, requestData } = services;
  const listed = await store.links.list(target.repository, page);
  // Read the rights and the names at the same time, because they do not depend on each other.
  const [named, rights] = await Promise.all([
    store.accountNames.ofCreators(listed, target.account),
    Promise.all(listed.items.map((link) => findLinkRights(link, requestData))),
  ]);
  const items = named.items.map((link, index) => ({
    ...link,
    state: linkStateAt(link, rights[index] !== undefined, now),
  }));
  return { items, next: named.next };
});
