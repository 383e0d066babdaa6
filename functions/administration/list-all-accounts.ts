import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAllAccounts } from '../../lib/operations/administration.ts';
import { AdministrationStore } from '../../lib/store/administration.ts';

export const handler = apiFunction(listAllAccounts, async ({ query: { search, state }, page, services }) =>
  new AdministrationStore(services.store.table).listAccounts({ search, disabledOnly: state === 'disabled' }, page),
);
