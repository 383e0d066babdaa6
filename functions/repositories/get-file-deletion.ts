import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getFileDeletion } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(getFileDeletion, async ({ target, path, services }) =>
  services.store.fileDeletions.load(target.account.account_id, path.deletion_id),
);
