import { apiFunction } from '../../lib/deployed/api-function.ts';
import { disableRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(disableRepository, async ({ target, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  if (!repository.disabled) {
    await services.store.repositories.setDisabled(
      repository,
      true,
      event('repository.disabled', account_id, { account_id, repository_id }),
    );
  }
  return { ...repository, disabled: true };
});
