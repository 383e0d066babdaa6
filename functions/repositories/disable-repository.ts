import { isDisablingNews } from '../../lib/domain/accounts/disabling.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(disableRepository, async ({ target, actsAsAdmin, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  const by = actsAsAdmin ? 'admin' : 'owner';
  if (isDisablingNews(repository, by)) {
    const disabled = event('repository.disabled', account_id, { account_id, repository_id, disabled_by: by });
    return services.store.repositories.setDisabled(target, by, disabled);
  }
  return repository;
});
