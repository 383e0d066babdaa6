import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getAccountUsage } from '../../lib/operations/usage.ts';

export const handler = apiFunction(getAccountUsage, ({ target, query, services, now }) =>
  services.store.usage.show({ account_id: target.account.account_id }, query, now),
);
