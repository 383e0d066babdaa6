import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { revokeApiKey } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(revokeApiKey, async ({ target, services, event }) => {
  const { apiKey } = target;
  const { account_id, access_key_id } = apiKey;
  if (!apiKey.disabled) {
    await services.store.apiKeys.revoke(apiKey, event('api_key.revoked', account_id, { account_id, access_key_id }));
  }
  const [maker] = await services.store.keyCreators.withCreators([apiKey]);
  const { created_by = null, created_by_name = null, created_by_is_member = null } = maker ?? {};
  return { ...apiKey, created_by, created_by_name, created_by_is_member, disabled: true };
});
