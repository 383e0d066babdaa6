import { getAccount } from '../../lib/operations/accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getAccount, async ({ target }) => target.account);
