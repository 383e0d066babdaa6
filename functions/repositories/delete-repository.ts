import { showObjectLocations } from '../../lib/domain/data/storage-prefixes.ts';
import { invalidInput, ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(deleteRepository, async ({ caller, target, body, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  const name = `${account_id}/${repository_id}`;
  if (body.confirm !== name) throw invalidInput([{ path: 'confirm', message: `must be "${name}"` }]);
  if (!repository.disabled) throw new ServiceError('wrong_state', 'The repository is enabled; disable it first');
  const places = await showObjectLocations(repository, caller, services.requestData);
  const deleted = event('repository.deleted', account_id, { account_id, repository_id });
  await services.store.repositoryEnds.delete(repository, deleted);
  return { account_id, repository_id, places };
});
