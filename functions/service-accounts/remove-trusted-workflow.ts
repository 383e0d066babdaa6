import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { removeTrustedWorkflow } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(removeTrustedWorkflow, async ({ target, path, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  const { workflow_id } = path;
  const removed = event('workflow.removed', account.account_id, { service_account_id, workflow_id });
  await services.store.trustedWorkflows.remove(serviceAccount, workflow_id, removed);
  return undefined;
});
