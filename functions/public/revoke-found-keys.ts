import { apiFunction } from '../../lib/deployed/functions/api-function.ts';
import { parseFoundKey } from '../../lib/domain/secrets/found-keys.ts';
import { revokeManyFound } from '../../lib/management/found-keys.ts';
import { revokeFoundKeys } from '../../lib/operations/public.ts';

export const handler = apiFunction(revokeFoundKeys, async ({ body, services, now }) => {
  const parsed = body.keys.map(parseFoundKey);
  await revokeManyFound(
    parsed.filter((key) => key !== undefined),
    services.store,
    now,
  );
  return { malformed: parsed.flatMap((key, position) => (key === undefined ? [position] : [])) };
});
