import { disabledSubject, disablingOf, isDisablingNews } from '../../lib/domain/accounts/disabling.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(disableRepository, async ({ target, body, actsAsAdmin, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  const disabling = disablingOf({ actsAsAdmin, body });
  if (!isDisablingNews(repository, disabling)) return repository;
  const subject = { account_id, repository_id, ...disabledSubject(disabling) };
  const disabled = event('repository.disabled', account_id, subject);
  return services.store.repositories.setDisabled(target, disabling, disabled);
});
