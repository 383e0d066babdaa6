import { ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { setRepositoryLimit } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(setRepositoryLimit, async ({ target, body, services, event }) => {
  const { account_id, account_type } = target.account;
  const { repositories_max } = body;
  if (account_type === 'service') throw new ServiceError('wrong_state', 'A service account owns no repositories');
  const set = event('account.repository_limit_set', account_id, {
    account_id,
    repositories_max: String(repositories_max),
  });
  return services.store.repositoryCounts.setLimit(account_id, repositories_max, set);
});
