import { permissionHints, roleHints } from '../../lib/http/permission-hints.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listRepositoryPermissions } from '../../lib/operations/repositories.ts';

// Returns no permissions for a missing repository. Without this check, rules that depend only on the account would
// grant some permissions.
export const handler = apiFunction(listRepositoryPermissions, async ({ target, may }) => {
  if (target.repository === undefined) return { permissions: [], roles: [] };
  return { permissions: permissionHints('repository', may), roles: roleHints('repository', may) };
});
