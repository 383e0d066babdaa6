import { isDeletionDue } from '../../lib/domain/data/repositories.ts';
import { versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { showObjectLocations } from '../../lib/domain/data/storage-prefixes.ts';
import { invalidInput, ServiceError } from '../../lib/domain/errors.ts';
import { limits } from '../../lib/domain/limits.ts';
import { dayMs, toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(deleteRepository, async ({ caller, target, body, services, now, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  const name = `${account_id}/${repository_id}`;
  if (body.confirm !== name) throw invalidInput([{ path: 'confirm', message: `must be "${name}"` }]);
  if (!repository.disabled) throw new ServiceError('wrong_state', 'The repository is enabled; disable it first');
  const places = await showObjectLocations(repository, caller, services.requestData);
  const { repositoryEnds, repositoryVersions } = services.store;
  const isScheduled = repository.delete_at !== undefined && !isDeletionDue(repository, now);
  const isLive = repository.delete_at === undefined && (await repositoryVersions.hasLive(versionsUidOf(repository)));
  if (isScheduled || (isLive && body.withdraw_versions)) {
    const { delete_at = toTimestamp(now + limits.repositoryDeletionDays * dayMs) } = repository;
    const scheduled = event('repository.deletion_scheduled', account_id, { account_id, repository_id, delete_at });
    if (!isScheduled) await repositoryEnds.schedule(repository, delete_at, scheduled);
    const message = `Owners can restore the repository until ${delete_at}. The stored versions of its objects stay in the storage and cost money until a lifecycle rule of the bucket removes them.`;
    return { account_id, repository_id, delete_at, message, places };
  }
  await repositoryEnds.delete(repository, event('repository.deleted', account_id, { account_id, repository_id }));
  return { account_id, repository_id, places };
});
