import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { stopFileDeletion } from '../../lib/operations/repositories.ts';
import { FileDeletionStore } from '../../lib/store/repositories/file-deletions.ts';

export const handler = apiFunction(stopFileDeletion, async ({ target, path, services, event }) => {
  const { account_id } = target.account;
  const { deletion_id } = path;
  const fileDeletions = new FileDeletionStore(services.store.table);
  const { repository_id } = await fileDeletions.load(account_id, deletion_id);
  const stopped = event('file_deletion.stopped', account_id, { account_id, repository_id, deletion_id });
  return fileDeletions.stop(account_id, deletion_id, stopped);
});
