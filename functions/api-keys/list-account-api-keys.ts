import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAccountApiKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listAccountApiKeys, async ({ target, page, services }) => {
  const { apiKeys, keyCreators } = services.store;
  const { items, next } = await apiKeys.list({ account_id: target.account.account_id }, page);
  return { items: await keyCreators.withCreators(items), next };
});
