import { formatServiceAccountId } from '../../lib/domain/identifiers.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { firstVersionAt } from '../../lib/domain/versions.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(createServiceAccount, async ({ target, body, services, now, event }) => {
  const owner_account_id = target.account.account_id;
  const service_account_id = formatServiceAccountId(owner_account_id, body.name);
  const serviceAccount = {
    service_account_id,
    owner_account_id,
    name: body.name,
    description: body.description ?? '',
    disabled: false,
    end_sessions_on_revocation: false,
    federated_only: false,
    created_at: toTimestamp(now),
    uid: services.random.uuid(),
    times_disabled: 0,
    ended_sources: [],
    version: firstVersionAt(now),
  };
  const created = event('service_account.created', owner_account_id, { service_account_id });
  await services.store.serviceAccounts.create(serviceAccount, created);
  return serviceAccount;
});
