import { ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { enableRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(enableRepository, async ({ target, actsAsAdmin, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  if (repository.delete_at !== undefined) {
    const message = `The repository will be deleted at ${repository.delete_at}; restore it before you enable it`;
    throw new ServiceError('wrong_state', message);
  }
  if (repository.disabled) {
    return services.store.repositories.setDisabled(
      target,
      undefined,
      event('repository.enabled', account_id, { account_id, repository_id }),
      { asAdmin: actsAsAdmin },
    );
  }
  return repository;
});
