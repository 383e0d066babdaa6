import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAuditEvents } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(listAuditEvents, async ({ target, query, page, services }) => {
  const { service_account_id, actor_account_id, kind, from, to } = query;
  const { accountNames, auditEvents } = services.store;
  const events = await auditEvents.list(target.account.account_id, page, {
    ...{ service_account_id, actor_account_id, kind },
    days: { from, to },
  });
  return accountNames.ofActors(events, target.account);
});
