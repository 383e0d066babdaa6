import { apiFunction } from '../../lib/deployed/functions/api-function.ts';
import { permissionHints } from '../../lib/http/permission-hints.ts';
import { listRepositoryPermissions } from '../../lib/operations/repositories.ts';

// Nothing may be done to what is not there: also the rules of those who may know, which hang on the account, do not name it.
export const handler = apiFunction(listRepositoryPermissions, async ({ target, may }) => ({
  permissions: target.repository === undefined ? [] : permissionHints('repository', may),
}));
