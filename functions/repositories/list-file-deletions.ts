import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listFileDeletions } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(listFileDeletions, async ({ target, services, page }) =>
  services.store.fileDeletions.list(target.account.account_id, page),
);
