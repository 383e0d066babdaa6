import { ServiceError } from '../domain/errors.ts';
import type { ExchangeStore, ServiceAccountStatus } from '../domain/service-accounts/exchange-store.ts';
import { keyNotAcceptedMessage } from '../domain/service-accounts/service-account-key.ts';
import {
  keyState,
  type ServiceAccountKeyRecord,
  type ServiceAccountRecord,
} from '../domain/service-accounts/service-accounts.ts';

/**
 * Returns the record and the service account of a well-formed key that may sign in. The key's own service account
 * counts, whichever account the role names (spec, 4.3). Throws `invalid_identity_token` with the same message for an
 * unknown, revoked, or expired key, and for a service account that is deleted or disabled or whose owner is disabled.
 */
export async function signInByKey(
  keyHash: string,
  namedServiceAccountId: string,
  store: ExchangeStore,
  now: number,
): Promise<{ key: ServiceAccountKeyRecord; serviceAccount: ServiceAccountRecord }> {
  const { key, ...named } = await store.readKeySignIn(keyHash, namedServiceAccountId);
  if (key !== undefined && mayKeySignIn(key, named, now)) return { key, serviceAccount: named.serviceAccount };
  // Every refusal makes this second read. Without it, the shorter time would distinguish an unknown key, which has no
  // account, from a revoked one.
  const own = await store.readServiceAccount(key?.service_account_id ?? namedServiceAccountId);
  if (key !== undefined && mayKeySignIn(key, own, now)) return { key, serviceAccount: own.serviceAccount };
  throw new ServiceError('invalid_identity_token', keyNotAcceptedMessage);
}

function mayKeySignIn(
  key: ServiceAccountKeyRecord,
  facts: ServiceAccountStatus,
  now: number,
): facts is ServiceAccountStatus & { serviceAccount: ServiceAccountRecord } {
  const { serviceAccount, owner } = facts;
  return (
    keyState(key, now) === 'active' &&
    // Compares the unique ID, because a new service account may have a deleted one's name.
    serviceAccount?.uid === key.service_account_uid &&
    !serviceAccount.disabled &&
    owner?.disabled === false
  );
}
