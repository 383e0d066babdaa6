import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { newLink } from '../../lib/domain/data/links.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createLink } from '../../lib/operations/links.ts';

export const handler = apiFunction(createLink, async ({ caller, target, body, services, now, event }) => {
  const { callerAccount: creator } = await services.requestData.readRequestData({
    callerAccountId: actingAccountOf(caller)?.account_id,
  });
  if (creator === undefined) throw new Error('who may call this has an enabled account');
  const { account: owner, repository } = target;
  const { link, secret } = newLink({ owner, repository, creator }, body, services.random, now);
  const { link_id, account_id, repository_id, prefix, expires_at } = link;
  const created = event('link.created', account_id, { link_id, repository_id, prefix, expires_at });
  await services.store.links.create(link, created, now);
  return { ...link, state: 'open' as const, secret };
});
