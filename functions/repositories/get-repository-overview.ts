import { permissionHints, roleHints } from '../../lib/http/permission-hints.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositoryOverview } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(getRepositoryOverview, async ({ target, services, may }) => {
  const { account, repository } = target;
  const path = `${account.account_id}/${repository.repository_id}/`;
  return {
    repository,
    account,
    data: { url: `${services.dataProxy().url}/${path}`, s3_uri: `s3://${path}` },
    permissions: permissionHints('repository', may),
    roles: roleHints('repository', may),
  };
});
