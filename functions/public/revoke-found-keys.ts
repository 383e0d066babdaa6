import { parseFoundKey } from '../../lib/domain/secrets/leaked-keys.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { revokeManyFound } from '../../lib/management/leaked-keys.ts';
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
