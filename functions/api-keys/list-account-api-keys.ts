import { apiFunction } from '../../lib/deployed/functions/api-function.ts';
import { listAccountApiKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listAccountApiKeys, async ({ target, page, services }) => {
  const { apiKeys, keyMakers } = services.store;
  const { items, next } = await apiKeys.list({ account_id: target.account.account_id }, page);
  return { items: await keyMakers.withMakers(items), next };
});
