import { newApiKey } from '../../lib/domain/accounts/api-keys.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createRepositoryApiKey } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(
  createRepositoryApiKey,
  async ({ caller, target, roles, body, services, now, event }) => {
    const { account_id, repository_id, uid: repository_uid } = target.repository;
    const { record, shown } = await newApiKey(
      { ...body, account_id, repository_id, repository_uid },
      { caller, roles },
      services,
      now,
    );
    const subject = { account_id, repository_id, access_key_id: record.access_key_id };
    await services.store.apiKeys.create(record, event('api_key.created', account_id, subject), target.repository, now);
    return shown;
  },
);
