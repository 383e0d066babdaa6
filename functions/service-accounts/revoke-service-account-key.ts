import { showKey } from '../../lib/domain/secrets/key-rotation.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { revokeServiceAccountKey } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(revokeServiceAccountKey, async ({ target, path, services, now, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  const { key, all } = await services.store.serviceAccountKeys.load(serviceAccount, path.key_id);
  if (key.revoked_at !== null) return showKey(key, all, now);
  const revoked_at = toTimestamp(now);
  const revoked = event('service_account_key.revoked', account.account_id, { service_account_id, key_id: key.key_id });
  await services.store.serviceAccountKeys.revoke(key, revoked_at, revoked);
  return showKey({ ...key, revoked_at }, all, now);
});
