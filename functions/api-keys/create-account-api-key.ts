import { newApiKey } from '../../lib/domain/accounts/api-keys.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createAccountApiKey } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(
  createAccountApiKey,
  async ({ caller, target, roles, body, services, now, event }) => {
    const { account_id, uid: account_uid } = target.account;
    const { record, shown } = await newApiKey({ ...body, account_id, account_uid }, { caller, roles }, services, now);
    const { access_key_id } = record;
    const created = event('api_key.created', account_id, { account_id, access_key_id });
    await services.store.apiKeys.create(record, created, undefined, now);
    return shown;
  },
);
