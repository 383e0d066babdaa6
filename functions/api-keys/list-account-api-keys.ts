import { listAccountApiKeys } from '../../lib/operations/api-keys.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listAccountApiKeys, async ({ target, page, services }) =>
  services.store.apiKeys.list({ account_id: target.account.account_id }, page),
);
