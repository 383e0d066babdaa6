import { signInKey as key } from '../../lib/pages/site/console-configuration.ts';

/**
 * A sign-in, which all tabs of this browser share through local storage. Only pages of the site can read it. Uploaded
 * files have another origin. Workers, which parse uploaded files, have no local storage.
 */
export interface SignIn {
  /** A random ID for this sign-in, which stays the same after a renewal. It reveals nothing about the tokens. */
  id: string;
  /** The issuer's ID of the user. */
  subject?: string | undefined;
  access_token: string;
  /** The expiry time of the access token, in milliseconds since the Unix epoch. */
  expires_at: number;
  refresh_token?: string | undefined;
  /** The issuer's ID of the user's session, if the issuer sends one. The ID is used only to end the session. */
  session_id?: string | undefined;
}

/** The reason why the user is no longer signed in. */
export type Ended = 'signed_out' | 'expired';

/**
 * The local storage key of the time at which a tab last used the sign-in. It is not part of the stored tokens, so that
 * no tab overwrites renewed tokens.
 */
const usedKey = 'sluice.used';
/** The local storage key of the data that the account menu shows. */
const ownKey = 'sluice.account';

/** The time without use in any tab after which a sign-in ends, because the user may have left a shared computer. */
const idleMsMax = 8 * 60 * 60 * 1000;
/** The minimum time between two writes of the time of last use. */
const usedEveryMs = 60_000;

/** Stores this tab's values in memory if the browser refuses local storage. */
const ownValues = new Map<string, string>();

function load(name: string): string | null {
  try {
    return ownValues.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

function save(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
    ownValues.delete(name);
  } catch {
    ownValues.set(name, value);
  }
}

/** Returns the current sign-in, or the reason why it ended. Returns undefined if no user has signed in yet. */
function readStored(): SignIn | { ended: Ended } | undefined {
  try {
    const value = JSON.parse(load(key) ?? 'null') as (Partial<SignIn> & { ended?: unknown }) | null;
    if (value?.ended === 'signed_out' || value?.ended === 'expired') return { ended: value.ended };
    const { id, access_token, expires_at } = value ?? {};
    const isSignIn = typeof id === 'string' && typeof access_token === 'string' && typeof expires_at === 'number';
    return isSignIn ? (value as SignIn) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the current sign-in of this browser. Deletes the tokens of an expired or unused sign-in. */
export function currentSignIn(): SignIn | undefined {
  const stored = readStored();
  if (stored === undefined || 'ended' in stored) return undefined;
  const isIdle = Date.now() - Number(load(usedKey) ?? 0) > idleMsMax;
  const isOver = stored.expires_at < Date.now() && stored.refresh_token === undefined;
  if (!isIdle && !isOver) return stored;
  endSignIn('expired');
  return undefined;
}

export function storeSignIn(value: SignIn): void {
  save(usedKey, String(Date.now()));
  save(key, JSON.stringify(value));
  check();
}

export function loadOwn(): string | null {
  return load(ownKey);
}

/** Stores data of the signed-in user until the sign-in ends. */
export function saveOwn(value: string): void {
  save(ownKey, value);
}

/** Ends the sign-in in all tabs of this browser. */
export function endSignIn(ended: Ended): void {
  save(ownKey, '');
  save(key, JSON.stringify({ ended }));
  check();
}

/** Records the time at which a tab uses the sign-in. */
export function touchSignIn(): void {
  const now = Date.now();
  if (now - Number(load(usedKey) ?? 0) > usedEveryMs) save(usedKey, String(now));
}

/** The time for which a tab that has renewed the tokens prevents another use of the old refresh token by other tabs. */
export const claimMs = 10_000;

type Listener = (now: SignIn | undefined, ended: Ended | undefined) => void;

const listeners = new Set<Listener>();
let known = load(key);

/** Calls the listener after each change of the sign-in, including changes by other tabs. */
export function followSignIn(listener: Listener): void {
  listeners.add(listener);
}

function check(): void {
  const text = load(key);
  if (text === known) return;
  known = text;
  const stored = readStored();
  const isEnded = stored !== undefined && 'ended' in stored;
  for (const listener of listeners) {
    listener(isEnded ? undefined : stored, isEnded ? stored.ended : undefined);
  }
}

// Do not trust the event's content, but read the storage again. A tab that was frozen or restored from the back/forward
// cache has missed the event.
globalThis.addEventListener?.('storage', ({ key: changed }) => {
  if (changed === key || changed === null) check();
});
globalThis.addEventListener?.('pageshow', check);
globalThis.document?.addEventListener('visibilitychange', check);
