import { apiFunction } from '../../lib/deployed/api-function.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import {
  hashServiceAccountKey,
  isWellFormedServiceAccountKey,
  malformedKeyMessage,
} from '../../lib/domain/service-accounts/service-account-key.ts';
import { revokeFoundKey } from '../../lib/operations/public.ts';

export const handler = apiFunction(revokeFoundKey, async ({ body, services, now }) => {
  const key = body.key.trim();
  if (!isWellFormedServiceAccountKey(key)) {
    throw new ServiceError('invalid_request', malformedKeyMessage, {
      faults: [{ path: 'key', message: malformedKeyMessage }],
    });
  }
  await services.store.serviceAccountKeys.revokeFound(hashServiceAccountKey(key), now);
  return undefined;
});
