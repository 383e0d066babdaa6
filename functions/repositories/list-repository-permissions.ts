import { permissionHints, roleHints } from '../../lib/http/permission-hints.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listRepositoryPermissions } from '../../lib/operations/repositories.ts';

// Nothing may be done to what is not there: also the rules of those who may know, which hang on the account, do not name it.
export const handler = apiFunction(listRepositoryPermissions, async ({ target, may }) => {
  if (target.repository === undefined) return { permissions: [], roles: [] };
  return { permissions: permissionHints('repository', may), roles: roleHints('repository', may) };
});
