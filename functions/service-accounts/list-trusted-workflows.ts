import { listTrustedWorkflows } from '../../lib/operations/trusted-workflows.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listTrustedWorkflows, async ({ target, page, services }) =>
  services.store.trustedWorkflows.list(target.serviceAccount.uid, page),
);
