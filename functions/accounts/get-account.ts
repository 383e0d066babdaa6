import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getAccount } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(getAccount, async ({ target }) => target.account);
