import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(updateServiceAccount, async ({ target, body, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  const {
    description = serviceAccount.description,
    end_sessions_on_revocation = serviceAccount.end_sessions_on_revocation,
    federated_only = serviceAccount.federated_only,
  } = body;
  const changed = { description, end_sessions_on_revocation, federated_only };
  const settings = (['end_sessions_on_revocation', 'federated_only'] as const).filter(
    (name) => changed[name] !== serviceAccount[name],
  );
  const updated = event('service_account.updated', account.account_id, {
    service_account_id,
    ...Object.fromEntries(settings.map((name) => [name, String(changed[name])])),
  });
  await services.store.serviceAccounts.change(serviceAccount, changed, updated);
  return { ...serviceAccount, ...changed };
});
