import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listFileDeletions } from '../../lib/operations/repositories.ts';
import { FileDeletionStore } from '../../lib/store/repositories/file-deletions.ts';

export const handler = apiFunction(listFileDeletions, async ({ target, services, page }) =>
  new FileDeletionStore(services.store.table).list(target.account.account_id, page),
);
