import { ServiceError } from '../domain/errors.ts';
import type { ExchangeStore, ServiceAccountStatus } from '../domain/service-accounts/exchange-store.ts';
import { keyNotAcceptedMessage } from '../domain/service-accounts/service-account-key.ts';
import {
  keyState,
  type ServiceAccountKeyRecord,
  type ServiceAccountRecord,
} from '../domain/service-accounts/service-accounts.ts';

/**
 * The key record, and its service account, behind a well-formed key that may sign in now. Its own service account
 * counts, whatever account the role names (spec, 4.3). Throws `invalid_identity_token` with one message for a key that is
 * unknown, revoked or expired and for a service account that is disabled, deleted, or of a disabled owner.
 */
export async function signInByKey(
  keyHash: string,
  namedServiceAccountId: string,
  store: ExchangeStore,
  now: number,
): Promise<{ key: ServiceAccountKeyRecord; serviceAccount: ServiceAccountRecord }> {
  const { key, ...named } = await store.readKeySignIn(keyHash, namedServiceAccountId);
  if (key !== undefined && mayKeySignIn(key, named, now)) return { key, serviceAccount: named.serviceAccount };
  // Every refusal takes this second read, needed or not: an unknown key has no account of its own to look up, and a
  // refusal that came one read sooner would tell it from a revoked one.
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
    // Not the name: a service account made again under a deleted one's is another one.
    serviceAccount?.uid === key.service_account_uid &&
    !serviceAccount.disabled &&
    owner?.disabled === false
  );
}
