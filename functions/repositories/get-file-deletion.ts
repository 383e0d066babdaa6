import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getFileDeletion } from '../../lib/operations/repositories.ts';
import { FileDeletionStore } from '../../lib/store/repositories/file-deletions.ts';

export const handler = apiFunction(getFileDeletion, async ({ target, path, services }) =>
  new FileDeletionStore(services.store.table).load(target.account.account_id, path.deletion_id),
);
