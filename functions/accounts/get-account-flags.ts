import { getAccountFlags } from '../../lib/operations/accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getAccountFlags, async ({ target }) => target.account.flags);
