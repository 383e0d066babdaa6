import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listAccountApiKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listAccountApiKeys, async ({ target, page, services }) =>
  services.store.apiKeys.list({ account_id: target.account.account_id }, page),
);
