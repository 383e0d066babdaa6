import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAllAccounts } from '../../lib/operations/administration.ts';

export const handler = apiFunction(listAllAccounts, async ({ query: { search, state }, page, services }) =>
  services.store.administration.listAccounts({ search, disabledOnly: state === 'disabled' }, page),
);
