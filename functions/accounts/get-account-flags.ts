import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getAccountFlags } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(getAccountFlags, async ({ target }) => target.account.flags);
