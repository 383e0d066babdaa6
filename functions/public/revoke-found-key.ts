import { invalidInput, ServiceError } from '../../lib/domain/errors.ts';
import { malformedPairMessage, parseLeakedKey } from '../../lib/domain/secrets/leaked-keys.ts';
import { malformedKeyMessage } from '../../lib/domain/service-accounts/service-account-key.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { revokeFoundKey } from '../../lib/operations/public.ts';
import { revokeFound } from '../../lib/store/api-keys/leaked-keys.ts';

export const handler = apiFunction(revokeFoundKey, async ({ body, services, now }) => {
  const { key, access_key_id, secret_access_key } = body;
  const pair =
    access_key_id === undefined || secret_access_key === undefined ? undefined : { access_key_id, secret_access_key };
  const isPartial = (access_key_id ?? secret_access_key) !== undefined && pair === undefined;
  const found = key ?? pair;
  if (found === undefined || isPartial || (key !== undefined && pair !== undefined)) {
    throw invalidInput([{ path: '', message: 'send key, or access_key_id and secret_access_key' }]);
  }
  const parsed = parseLeakedKey(found);
  if (parsed === undefined) {
    const [path, message] =
      pair === undefined ? ['key', malformedKeyMessage] : ['secret_access_key', malformedPairMessage];
    throw new ServiceError('field_invalid', message, { faults: [{ path, message }] });
  }
  await revokeFound(parsed, services.store, now);
  return undefined;
});
