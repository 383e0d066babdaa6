import { deletedStorage, requireDeletable } from '../../lib/domain/data/file-deletions.ts';
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
  const { repositoryEnds, repositoryVersions, requestData } = services.store;
  let { file_deletion_id } = repository;
  const isScheduled = repository.delete_at !== undefined && !isDeletionDue(repository, now);
  if (body.delete_files && file_deletion_id === undefined) {
    if (isScheduled) {
      const message = 'The repository is scheduled for deletion without its files; restore it first';
      throw new ServiceError('wrong_state', message);
    }
    const connection = await requestData.findDataConnection(repository.data.primary_mirror);
    requireDeletable(connection, deletedStorage(repository, connection));
    file_deletion_id = services.random.uuid();
  }
  const places = await showObjectLocations(repository, caller, services.requestData);
  const isLive = repository.delete_at === undefined && (await repositoryVersions.hasLive(versionsUidOf(repository)));
  if (isScheduled || (isLive && body.withdraw_versions)) {
    const { delete_at = toTimestamp(now + limits.repositoryDeletionDays * dayMs) } = repository;
    const scheduled = event('repository.deletion_scheduled', account_id, { account_id, repository_id, delete_at });
    if (!isScheduled) await repositoryEnds.schedule(repository, { delete_at, file_deletion_id }, scheduled);
    const files = file_deletion_id === undefined ? '' : ' The files are deleted then.';
    const message = `Owners can restore the repository until ${delete_at}.${files} ${storedVersionsRemain}`;
    return { account_id, repository_id, delete_at, message, places };
  }
  const deleted = event('repository.deleted', account_id, { account_id, repository_id });
  const file_deletion = await repositoryEnds.delete(repository, deleted, file_deletion_id);
  const message = `The files are deleted in the background. ${storedVersionsRemain}`;
  return { account_id, repository_id, places, ...(file_deletion && { file_deletion, message }) };
});

const storedVersionsRemain =
  'If the bucket keeps versions of objects, the stored versions stay in the storage and cost money until a lifecycle rule of the bucket removes them.';
