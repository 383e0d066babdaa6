import { showKey } from '../../lib/domain/key-rotation.ts';
import { listServiceAccountKeys } from '../../lib/operations/service-accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';
import { positionOf } from '../../lib/store/service-account-keys.ts';

export const handler = apiFunction(listServiceAccountKeys, async ({ target, page, services, now }) => {
  const all = await services.store.serviceAccountKeys.listAll(target.serviceAccount.uid);
  const rest = all.filter((key) => page.after === undefined || positionOf(key) > page.after);
  const items = rest.slice(0, page.limit);
  const last = items.at(-1);
  const next = last === undefined || rest.length === items.length ? undefined : positionOf(last);
  return { items: items.map((key) => showKey(key, all, now)), next };
});
