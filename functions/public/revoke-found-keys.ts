import { apiFunction } from '../../lib/deployed/api-function.ts';
import {
  hashServiceAccountKey,
  isWellFormedServiceAccountKey,
} from '../../lib/domain/service-accounts/service-account-key.ts';
import { revokeFoundKeys } from '../../lib/operations/public.ts';

/** Enough that a thousand keys take seconds, few enough that one request does not throttle the table. */
const atOnce = 25;

export const handler = apiFunction(revokeFoundKeys, async ({ body, services, now }) => {
  const found = body.keys.map((key) => key.trim());
  const malformed = found.flatMap((key, position) => (isWellFormedServiceAccountKey(key) ? [] : [position]));
  const hashes = found.filter(isWellFormedServiceAccountKey).map(hashServiceAccountKey);
  for (let start = 0; start < hashes.length; start += atOnce) {
    const group = hashes.slice(start, start + atOnce);
    await Promise.all(group.map((hash) => services.store.serviceAccountKeys.revokeFound(hash, now)));
  }
  return { malformed };
});
