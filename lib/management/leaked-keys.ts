import type { FoundKey } from '../domain/secrets/leaked-keys.ts';
import type { Store } from '../store/store.ts';

type KeyStores = Pick<Store, 'apiKeys' | 'serviceAccountKeys'>;

/** One write, the same whether the key is live, revoked or unknown, or the secret another's. */
export async function revokeFound(key: FoundKey, { apiKeys, serviceAccountKeys }: KeyStores, now: number) {
  return key.kind === 'api_key' ? apiKeys.revokeFound(key, now) : serviceAccountKeys.revokeFound(key.key_hash, now);
}

/** How many writes a batch makes at once, and makes at all where no more of its keys are live. */
const atOnce = 25;

/**
 * Revokes many keys that anybody may send. Reads come first, since a write for each is what would make such a batch dear;
 * then the live ones are revoked. Others are written to no effect until there are twenty-five, so that neither the number
 * of requests nor their time tells whether there was a live one. (A queue would cost less time, but strangers' batches
 * would stand in it before everybody else's revocations.)
 */
export async function revokeManyFound(found: readonly FoundKey[], stores: KeyStores, now: number): Promise<void> {
  const keys = [...new Map(found.map((key) => [JSON.stringify(key), key])).values()];
  const ofAccounts = keys.filter((key) => key.kind === 'api_key');
  const ofServiceAccounts = keys.filter((key) => key.kind === 'service_account_key');
  const [livePairs, liveHashes] = await Promise.all([
    stores.apiKeys.findRevocable(ofAccounts),
    stores.serviceAccountKeys.findUnrevoked(ofServiceAccounts.map(({ key_hash }) => key_hash)),
  ]);
  const isLive = (key: FoundKey) => (key.kind === 'api_key' ? livePairs.has(key) : liveHashes.has(key.key_hash));
  const live = keys.filter(isLive);
  const written = [...live, ...keys.filter((key) => !isLive(key))].slice(0, Math.max(live.length, atOnce));
  for (let start = 0; start < written.length; start += atOnce) {
    await Promise.all(written.slice(start, start + atOnce).map((key) => revokeFound(key, stores, now)));
  }
}
