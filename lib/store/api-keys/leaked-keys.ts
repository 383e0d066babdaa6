import type { LeakedKey } from '../../domain/secrets/leaked-keys.ts';
import type { Store } from '../store.ts';

type KeyStores = Pick<Store, 'apiKeys' | 'serviceAccountKeys'>;

/**
 * Revokes a leaked key with one write. The request is the same for active, revoked, and unknown keys and for wrong
 * secrets, so that it reveals nothing.
 */
export async function revokeFound(key: LeakedKey, { apiKeys, serviceAccountKeys }: KeyStores, now: number) {
  return key.kind === 'api_key' ? apiKeys.revokeFound(key, now) : serviceAccountKeys.revokeFound(key.key_hash, now);
}

/** Maximum number of writes at the same time, and minimum number of writes for a large batch of leaked keys. */
const atOnce = 25;

/**
 * Revokes many reported keys. Anyone may send a batch of keys. The function reads the keys first, because one write for
 * each key would make large batches expensive. Then it revokes the active keys. If fewer than 25 keys are active, it
 * adds writes without effect. The number of requests and their duration therefore do not reveal an active key.
 *
 * A queue would respond faster, but batches of strangers would then delay the revocations of other users.
 */
export async function revokeLeakedKeys(found: readonly LeakedKey[], stores: KeyStores, now: number): Promise<void> {
  const keys = [...new Map(found.map((key) => [JSON.stringify(key), key])).values()];
  const ofAccounts = keys.filter((key) => key.kind === 'api_key');
  const ofServiceAccounts = keys.filter((key) => key.kind === 'service_account_key');
  const [livePairs, liveHashes] = await Promise.all([
    stores.apiKeys.findRevocable(ofAccounts),
    stores.serviceAccountKeys.findUnrevoked(ofServiceAccounts.map(({ key_hash }) => key_hash)),
  ]);
  const isLive = (key: LeakedKey) => (key.kind === 'api_key' ? livePairs.has(key) : liveHashes.has(key.key_hash));
  const live = keys.filter(isLive);
  const written = [...live, ...keys.filter((key) => !isLive(key))].slice(0, Math.max(live.length, atOnce));
  for (let start = 0; start < written.length; start += atOnce) {
    await Promise.all(written.slice(start, start + atOnce).map((key) => revokeFound(key, stores, now)));
  }
}
