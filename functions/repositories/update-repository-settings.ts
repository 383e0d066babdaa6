import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateRepositorySettings } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(updateRepositorySettings, async ({ target, body, services, event }) => {
  const { account_id, repository_id } = target.repository;
  const changed = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
  const { federated_only = false, hides_usage = false } = await services.store.repositories.update(
    target,
    body,
    event('repository.updated', account_id, { account_id, repository_id, ...changed }),
  );
  return { federated_only, hides_usage };
});
