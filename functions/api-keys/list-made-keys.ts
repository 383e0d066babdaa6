import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listMadeKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listMadeKeys, async ({ caller, target, query, page, services, now }) => {
  const { created_by = actingAccountOf(caller)?.account_id ?? '' } = query;
  return services.store.keyCreators.made(target.account.account_id, created_by, page, now);
});
