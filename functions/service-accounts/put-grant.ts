import { ServiceError } from '../../lib/domain/errors.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { putGrant } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(putGrant, async ({ target, path, body, services, now, event }) => {
  const { account, serviceAccount } = target;
  const { repository_id } = path;
  // Read the repository in the owner's account. The path contains only a repository ID, so it cannot name another
  // account's repository.
  const { repository } = await services.store.requestData.readRequestData({
    scope: { account_id: account.account_id, repository_id },
  });
  if (repository === undefined) {
    throw new ServiceError(
      'not_found',
      `${account.account_id} has no repository ${repository_id}; grant one that it owns`,
    );
  }
  const grant = { repository_id, access: body.access };
  const isNew = await services.store.serviceAccounts.putGrant(
    serviceAccount,
    grant,
    repository,
    toTimestamp(now),
    event('grant.set', account.account_id, {
      service_account_id: serviceAccount.service_account_id,
      repository_id,
      access: body.access,
    }),
  );
  return { isNew, answer: grant };
});
