import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateRepositorySettings } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(updateRepositorySettings, async ({ target, body, services, event }) => {
  const { account_id, repository_id } = target.repository;
  const { federated_only } = body;
  const subject = { account_id, repository_id, federated_only: String(federated_only) };
  await services.store.repositories.update(
    target,
    { federated_only },
    event('repository.updated', account_id, subject),
  );
  return { federated_only };
});
