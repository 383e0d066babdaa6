import { showKey } from '../../lib/domain/secrets/key-rotation.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listServiceAccountKeys } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(listServiceAccountKeys, async ({ target, page, services, now }) => {
  const { items, next, all } = await services.store.serviceAccountKeys.list(target.serviceAccount, page);
  return { items: items.map((key) => showKey(key, all, now)), next };
});
