import { showKey } from '../../lib/domain/secrets/key-rotation.ts';
import { expiryFrom } from '../../lib/domain/service-accounts/service-accounts.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { changeServiceAccountKeyExpiry } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(
  changeServiceAccountKeyExpiry,
  async ({ target, path, body, services, now, event }) => {
    const { account, serviceAccount } = target;
    const { service_account_id } = serviceAccount;
    const { key, all } = await services.store.serviceAccountKeys.load(serviceAccount, path.key_id);
    const expires_at = expiryFrom(body.expiry, now);
    await services.store.serviceAccountKeys.changeExpiry(
      key,
      expires_at,
      event('service_account_key.expiry_changed', account.account_id, {
        service_account_id,
        key_id: key.key_id,
        expiry: body.expiry,
      }),
    );
    return showKey({ ...key, expires_at }, all, now);
  },
);
