import { accountOf } from '../../lib/domain/accounts/callers.ts';
import { permissionHints, platformHints, roleHints } from '../../lib/http/permission-hints.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAccountPermissions } from '../../lib/operations/accounts.ts';

export const handler = apiFunction(listAccountPermissions, async ({ caller, path, may }) => {
  const isOwn = accountOf(caller)?.account_id === path.account_id;
  const permissions = [...permissionHints('account', may), ...(isOwn ? platformHints(may) : [])];
  return { permissions, roles: roleHints('account', may) };
});
