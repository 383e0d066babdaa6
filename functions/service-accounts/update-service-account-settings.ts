import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateServiceAccountSettings } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(updateServiceAccountSettings, async ({ target, body, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  const {
    end_sessions_on_revocation = serviceAccount.end_sessions_on_revocation,
    federated_only = serviceAccount.federated_only,
  } = body;
  const changed = { end_sessions_on_revocation, federated_only };
  const names = (['end_sessions_on_revocation', 'federated_only'] as const).filter(
    (name) => changed[name] !== serviceAccount[name],
  );
  const updated = event('service_account.updated', account.account_id, {
    service_account_id,
    ...Object.fromEntries(names.map((name) => [name, String(changed[name])])),
  });
  await services.store.serviceAccounts.change(serviceAccount, changed, updated);
  return { ...serviceAccount, ...changed };
});
