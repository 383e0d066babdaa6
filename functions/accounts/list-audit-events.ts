import { listAuditEvents } from '../../lib/operations/accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listAuditEvents, async ({ target, page, services }) =>
  services.store.auditEvents.list(target.account.account_id, page),
);
