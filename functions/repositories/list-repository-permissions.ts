import { permissionHints, roleHints } from '../../lib/http/permission-hints.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listRepositoryPermissions } from '../../lib/operations/repositories.ts';

// A missing repository grants no permissions. This check is needed because some rules depend on the account only.
export const handler = apiFunction(listRepositoryPermissions, async ({ target, may }) => {
  if (target.repository === undefined) return { permissions: [], roles: [] };
  return { permissions: permissionHints('repository', may), roles: roleHints('repository', may) };
});
