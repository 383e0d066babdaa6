import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAuditEvents } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(listAuditEvents, async ({ target, query, page, services }) => {
  const { service_account_id, actor_account_id, kind, from, to } = query;
  const { accountNames, auditEvents } = services.store;
  const { items, next } = await auditEvents.list(target.account.account_id, page, {
    ...{ service_account_id, actor_account_id, kind },
    days: { from, to },
  });
  const nameOf = await accountNames.find(
    items.map(({ actor }) => actor.account_id),
    target.account,
  );
  const named = items.map((item) => ({
    ...item,
    actor: { ...item.actor, account_name: nameOf(item.actor.account_id) },
  }));
  return { items: named, next };
});
