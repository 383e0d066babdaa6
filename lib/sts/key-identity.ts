import { ServiceError } from '../domain/errors.ts';
import type { ExchangeStore, ServiceAccountFacts } from '../domain/exchange-store.ts';
import { keyNotAcceptedMessage } from '../domain/service-account-key.ts';
import { keyState, type ServiceAccountKeyRecord } from '../domain/service-accounts.ts';

/**
 * The key record behind a well-formed key that may sign in now. Its own service account counts, whatever account the
 * role names (spec, 4.3). Throws `invalid_identity_token` with one message for a key that is unknown, revoked or expired
 * and for a service account that is disabled, deleted, or of a disabled owner.
 */
export async function signInByKey(
  keyHash: string,
  namedServiceAccountId: string,
  store: ExchangeStore,
  now: number,
): Promise<ServiceAccountKeyRecord> {
  const read = await store.readKeySignIn(keyHash, namedServiceAccountId);
  if (read.key !== undefined && mayKeySignIn(read.key, read, now)) return read.key;
  // Every refusal takes this second read, needed or not: an unknown key has no account of its own to look up, and a
  // refusal that came one read sooner would tell it from a revoked one.
  const own = await store.readServiceAccount(read.key?.service_account_id ?? namedServiceAccountId);
  if (read.key !== undefined && mayKeySignIn(read.key, own, now)) return read.key;
  throw new ServiceError('invalid_identity_token', keyNotAcceptedMessage);
}

function mayKeySignIn(
  key: ServiceAccountKeyRecord,
  { serviceAccount, owner }: ServiceAccountFacts,
  now: number,
): boolean {
  return (
    keyState(key, now) === 'active' &&
    // Not the name: a service account made again under a deleted one's is another one.
    serviceAccount?.uid === key.service_account_uid &&
    !serviceAccount.disabled &&
    owner?.disabled === false
  );
}
