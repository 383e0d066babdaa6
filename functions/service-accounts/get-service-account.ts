import { getServiceAccount } from '../../lib/operations/service-accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getServiceAccount, async ({ target }) => target.serviceAccount);
