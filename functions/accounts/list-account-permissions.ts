import { apiFunction } from '../../lib/deployed/functions/api-function.ts';
import { permissionHints } from '../../lib/http/permission-hints.ts';
import { listAccountPermissions } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(listAccountPermissions, async ({ may }) => ({
  permissions: permissionHints('account', may),
}));
