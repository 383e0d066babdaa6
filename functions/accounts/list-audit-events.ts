import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listAuditEvents } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(listAuditEvents, async ({ target, query, page, services }) => {
  const { service_account_id, kind } = query;
  return services.store.auditEvents.list(target.account.account_id, page, { service_account_id, kind });
});
