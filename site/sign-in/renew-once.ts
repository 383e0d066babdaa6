import { claimMs, currentSignIn, type SignIn, storeSignIn } from './stored.ts';

interface Renewal {
  renew: (before: SignIn) => Promise<SignIn>;
  /** Revokes renewed tokens that no tab will use. */
  revoke: (renewed: SignIn) => Promise<void>;
}

/**
 * Renews the tokens in one tab at a time, because the second use of a refresh token would end the sign-in. Does not
 * call `renew` if another tab has already renewed the tokens. If the user signs out during the renewal, the new tokens
 * are revoked and never stored.
 */
export async function renewOnce(before: SignIn, { renew, revoke }: Renewal): Promise<void> {
  await withLock(async () => {
    if (currentSignIn()?.access_token !== before.access_token) return;
    const claimed = await claim(before);
    if (claimed === undefined) return untilReplaced(before);
    const renewed = await renew(before).catch((error) => {
      claimed.release();
      throw error;
    });
    setTimeout(claimed.release, claimMs);
    const now = currentSignIn();
    if (now?.access_token === before.access_token) return storeSignIn(renewed);
    // In a browser without the Web Locks API, another tab can renew the same sign-in at the same time. Do not revoke
    // tokens of the same sign-in, because this could end it in all tabs.
    if (now?.id !== before.id) await revoke(renewed);
  });
}

/**
 * The time after which a tab renews without the lock. A page that hangs, or a hostile script in a worker, may hold the
 * lock.
 */
const lockMsMax = 20_000;

/**
 * Runs a function while no other tab runs it. Insecure contexts have no Web Locks API, so the function then runs at
 * once.
 */
async function withLock(run: () => Promise<void>): Promise<void> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return run();
  let hasBegun = false;
  try {
    await locks.request('sluice-renew', { signal: AbortSignal.timeout(lockMsMax) }, () => {
      hasBegun = true;
      return run();
    });
  } catch (error) {
    if (hasBegun) throw error;
    await run();
  }
}

/**
 * Claims the only use of a refresh token. Returns undefined if another tab has just used it. Browsers copy local
 * storage between their processes with a delay of some milliseconds, so another tab can still read old tokens. Locks
 * have no delay. The name of the lock does not reveal the token.
 */
async function claim({ refresh_token = '' }: SignIn): Promise<{ release: () => void } | undefined> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return { release: () => undefined };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(refresh_token));
  const name = `sluice-used ${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
  const granted = Promise.withResolvers<boolean>();
  const held = Promise.withResolvers<void>();
  locks
    .request(name, { ifAvailable: true }, (lock) => {
      granted.resolve(lock !== null);
      return lock === null ? undefined : held.promise;
    })
    .catch(granted.reject);
  return (await granted.promise) ? { release: held.resolve } : undefined;
}

/** Waits until this tab can read the tokens that another tab has stored. */
async function untilReplaced(before: SignIn): Promise<void> {
  const endsAt = Date.now() + claimMs;
  while (Date.now() < endsAt && currentSignIn()?.access_token === before.access_token) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
