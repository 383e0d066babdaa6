import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { removeTrustedWorkflow } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(removeTrustedWorkflow, async ({ target, path, query, services, now, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id, end_sessions_on_revocation } = serviceAccount;
  const { workflow_id } = path;
  const { trustedWorkflows, endedSessions } = services.store;
  const removed = event('workflow.removed', account.account_id, { service_account_id, workflow_id });
  const isEnding = query.end_sessions === 'true' || end_sessions_on_revocation;
  const ended = await endedSessions.revoke({ serviceAccount, id: workflow_id, isEnding }, now, (ending) =>
    trustedWorkflows.remove(serviceAccount, workflow_id, removed, ending),
  );
  return { workflow_id, ...ended };
});
