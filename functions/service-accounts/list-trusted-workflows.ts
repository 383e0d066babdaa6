import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listTrustedWorkflows } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(listTrustedWorkflows, async ({ target, page, services }) =>
  services.store.trustedWorkflows.list(target.serviceAccount.uid, page),
);
