import { parseLeakedKey } from '../../lib/domain/secrets/leaked-keys.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { revokeFoundKeys } from '../../lib/operations/public.ts';
import { revokeLeakedKeys } from '../../lib/store/api-keys/leaked-keys.ts';

export const handler = apiFunction(revokeFoundKeys, async ({ body, services, now }) => {
  const parsed = body.keys.map(parseLeakedKey);
  await revokeLeakedKeys(
    parsed.filter((key) => key !== undefined),
    services.store,
    now,
  );
  return { malformed: parsed.flatMap((key, position) => (key === undefined ? [position] : [])) };
});
