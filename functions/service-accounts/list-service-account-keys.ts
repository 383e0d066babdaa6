import { limits } from '../../lib/domain/limits.ts';
import { isLeaked, showKey, showLeak } from '../../lib/domain/secrets/key-rotation.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listServiceAccountKeys } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(listServiceAccountKeys, async ({ target, page, services, now }) => {
  const { serviceAccountKeys, serviceAccounts } = services.store;
  const { items, next, all } = await serviceAccountKeys.list(target.serviceAccount, page);
  const everyGrant = { limit: limits.grantsMax, after: undefined };
  const grants = items.some(isLeaked)
    ? (await serviceAccounts.listGrants(target.serviceAccount.uid, everyGrant)).items
    : [];
  return { items: items.map((key) => ({ ...showKey(key, all, now), ...showLeak(key, grants) })), next };
});
