import { signal } from '@preact/signals';
import { beginEpoch, currentEpoch } from './epoch.ts';

/** The tokens of a sign-in. They are stored in memory and in this tab's session storage, and never appear in a URL. */
export interface Tokens {
  /** A random ID for these tokens. Each renewal creates a new ID. The ID reveals nothing about the tokens. */
  id: string;
  /** The IDs of the earlier tokens that these tokens replaced by renewal. */
  earlier: string[];
  /** The epoch in which the user signed in. Empty or undefined before the first sign-out in this browser. */
  epoch?: string | undefined;
  access_token: string;
  /** In milliseconds since the Unix epoch. */
  expires_at: number;
  refresh_token?: string | undefined;
  /** The issuer's ID of the user's session, if the issuer sends one. It can only be used to end the session. */
  session_id?: string | undefined;
}

type Message = { kind: 'ask'; id: string } | { kind: 'renewed'; id: string; tokens: Tokens } | { kind: 'signed_out' };

const key = 'sluice.tokens';
const earlierMax = 8;

export const tokens = signal<Tokens | undefined>(read());
/**
 * Returns the name of a lock. Each tab whose tokens replaced the tokens `id` holds this lock. A tab that still has the
 * old tokens then knows that another tab will send newer ones.
 */
const renewedName = (id: string) => `sluice-renewed ${id}`;
const announced = new Map<string, () => void>();

// Deletes stored tokens that belong to an earlier epoch, because the user has signed out since.
setTokens(tokens.value);

function read(): Tokens | undefined {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return isTokens(found) && isOfThisEpoch(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isOfThisEpoch({ epoch = '' }: Tokens): boolean {
  return epoch === currentEpoch();
}

function isTokens(value: unknown): value is Tokens {
  const { id, earlier, access_token, expires_at } = (value ?? {}) as Partial<Tokens>;
  return (
    typeof id === 'string' &&
    Array.isArray(earlier) &&
    typeof access_token === 'string' &&
    typeof expires_at === 'number'
  );
}

export function setTokens(value: Tokens | undefined): void {
  tokens.value = value;
  announceEarlier(value);
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The browser has no storage, so the tokens are in memory only.
  }
}

/**
 * Returns the lock manager. Returns undefined in insecure contexts, where browsers have none. Tabs then only exchange
 * messages.
 */
function locksOfOrigin(): LockManager | undefined {
  return navigator.locks as LockManager | undefined;
}

function announceEarlier(value: Tokens | undefined): void {
  for (const [id, release] of announced) {
    if (value?.earlier.includes(id)) continue;
    release();
    announced.delete(id);
  }
  for (const id of value?.earlier ?? []) {
    if (announced.has(id)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    announced.set(id, resolve);
    locksOfOrigin()
      ?.request(renewedName(id), { mode: 'shared' }, () => promise)
      .catch(() => undefined);
  }
}

/** Builds the tokens to store from a response of the token endpoint. */
export function nextTokens(
  answer: Pick<Tokens, 'access_token' | 'refresh_token' | 'session_id'> & { expires_in?: number | undefined },
  before: Tokens | undefined,
): Tokens {
  return {
    id: crypto.randomUUID(),
    earlier: before === undefined ? [] : [before.id, ...before.earlier].slice(0, earlierMax),
    epoch: before === undefined ? currentEpoch() : before.epoch,
    access_token: answer.access_token,
    expires_at: Date.now() + (answer.expires_in ?? 300) * 1000,
    refresh_token: answer.refresh_token ?? before?.refresh_token,
    session_id: answer.session_id ?? before?.session_id,
  };
}

/**
 * The channel on which the tabs of this origin exchange tokens.
 * A duplicated tab has the same refresh token. If the issuer rotates refresh tokens, a second use of the same one
 * revokes all tokens of the sign-in. Before a renewal, a tab therefore asks the other tabs for renewed tokens. After a
 * renewal, it sends them its new tokens.
 */
const channel = new BroadcastChannel('sluice-sign-in');

const leaving = new Set<() => void>();

/**
 * Registers a function that runs when the user signs out in any tab. The function deletes further data of the sign-in,
 * such as credentials.
 */
export function onSignOut(end: () => void): void {
  leaving.add(end);
}

function signedOut(): void {
  setTokens(undefined);
  for (const end of leaving) end();
}

// A page that the browser restores from its back/forward cache has missed all messages. It therefore checks the epoch.
globalThis.addEventListener?.('pageshow', ({ persisted }) => {
  if (persisted && tokens.value !== undefined && !isOfThisEpoch(tokens.value)) signedOut();
});

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  // Run the registered functions even if this tab has no tokens any more, because its uploads may still be running.
  if (data.kind === 'signed_out') return signedOut();
  const own = tokens.value;
  if (own === undefined) return;
  if (data.kind === 'ask' && own.earlier.includes(data.id)) broadcast({ kind: 'renewed', id: data.id, tokens: own });
  if (data.kind === 'renewed' && (own.id === data.id || data.tokens.earlier.includes(own.id))) setTokens(data.tokens);
});

function broadcast(message: Message): void {
  channel.postMessage(message);
}

const answerWithinMs = 250;
/**
 * The timeout when the locks show that another tab has newer tokens. That tab may be busy or in the background, and
 * needs more time to answer.
 */
const knownAnswerWithinMs = 5000;

/** Returns how many milliseconds to wait for another tab's answer. */
async function patienceFor({ id }: Tokens): Promise<number> {
  const { held = [] } = (await locksOfOrigin()?.query()) ?? {};
  return held.some(({ name }) => name === renewedName(id)) ? knownAnswerWithinMs : answerWithinMs;
}

/** Resolves when this tab has received other tokens, or after the timeout. */
function untilReplaced(before: Tokens, withinMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  const unsubscribe = tokens.subscribe((now) => now?.id !== before.id && resolve());
  return promise.finally(() => {
    clearTimeout(timer);
    unsubscribe();
  });
}

interface Renewal {
  renew: () => Promise<Tokens>;
  /** Revokes new tokens that this tab will not use. */
  revoke: (renewed: Tokens) => Promise<void>;
}

/**
 * Renews the tokens in one tab at a time. If another tab has already renewed them, does not call `renew`.
 * If the user signs out during the renewal, the new tokens are revoked and never stored.
 */
export async function renewOnce(before: Tokens, { renew, revoke }: Renewal): Promise<void> {
  const run = async () => {
    if (tokens.value?.id !== before.id) return;
    const patience = await patienceFor(before);
    broadcast({ kind: 'ask', id: before.id });
    await untilReplaced(before, patience);
    if (tokens.value?.id !== before.id) return;
    const renewed = await renew();
    if (tokens.value?.id !== before.id) {
      // Another tab's late message has replaced the tokens, possibly with the same refresh token. Revoking it would end
      // that session.
      if (!tokens.value?.earlier.includes(before.id)) await revoke(renewed);
      return;
    }
    setTokens(renewed);
    broadcast({ kind: 'renewed', id: before.id, tokens: renewed });
  };
  const locks = locksOfOrigin();
  await (locks === undefined ? run() : locks.request('sluice-renew', run));
}

export function forgetTokens(): void {
  beginEpoch();
  signedOut();
  broadcast({ kind: 'signed_out' });
}
