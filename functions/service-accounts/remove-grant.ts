import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { removeGrant } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(removeGrant, async ({ target, path, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  const { repository_id } = path;
  const removed = event('grant.removed', account.account_id, { service_account_id, repository_id });
  await services.store.serviceAccounts.removeGrant(serviceAccount, repository_id, removed);
  return undefined;
});
