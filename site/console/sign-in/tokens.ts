import { signal } from '@preact/signals';
import { beginEpoch, currentEpoch } from './epoch.ts';

/** The tokens of a sign-in. They are in memory and in this tab's session storage, never in a URL. */
export interface Tokens {
  /** A random ID of this generation of tokens. It discloses nothing about them. */
  id: string;
  /** The IDs of the generations that this one replaced. */
  earlier: string[];
  /** The epoch of the sign-in. Undefined for the first one. */
  epoch?: string | undefined;
  access_token: string;
  /** In milliseconds since the Unix epoch. */
  expires_at: number;
  refresh_token?: string | undefined;
  /** The issuer's ID for the browser session, if the issuer sends one. It only allows a sign-out. */
  session_id?: string | undefined;
}

type Message = { kind: 'ask'; id: string } | { kind: 'renewed'; id: string; tokens: Tokens } | { kind: 'signed_out' };

const key = 'sluice.tokens';
const earlierMax = 8;

export const tokens = signal<Tokens | undefined>(read());
/** The lock that each tab with newer tokens holds. A tab with the old tokens then knows that an answer will come. */
const renewedName = (id: string) => `sluice-renewed ${id}`;
const announced = new Map<string, () => void>();

// Deletes stored tokens of an earlier epoch.
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
    // A browser without storage has the tokens in memory only.
  }
}

/** Returns undefined in insecure contexts, which have no locks. Tabs then rely on messages alone. */
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

/** Returns the next generation of tokens from a token endpoint's response. */
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
 * The channel between the tabs of a sign-in, for this origin only.
 * A duplicated tab has the same refresh token. With rotation, the second use of a refresh token revokes all its tokens.
 * A tab therefore first asks the others for a renewed token, and afterwards sends them its own.
 */
const channel = new BroadcastChannel('sluice-sign-in');

const leaving = new Set<() => void>();

/** Registers a function that is called when the user signs out in any tab. It deletes other data of the sign-in. */
export function onSignOut(end: () => void): void {
  leaving.add(end);
}

function signedOut(): void {
  setTokens(undefined);
  for (const end of leaving) end();
}

// A page from the back/forward cache has missed all messages.
globalThis.addEventListener?.('pageshow', ({ persisted }) => {
  if (persisted && tokens.value !== undefined && !isOfThisEpoch(tokens.value)) signedOut();
});

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  // Call the listeners even if this tab's session has already ended, because its uploads may still run.
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
/** The longer timeout for a tab that is known to have newer tokens. It may be busy or in the background. */
const knownAnswerWithinMs = 5000;

/** Returns how many milliseconds to wait for another tab's answer. */
async function patienceFor({ id }: Tokens): Promise<number> {
  const { held = [] } = (await locksOfOrigin()?.query()) ?? {};
  return held.some(({ name }) => name === renewedName(id)) ? knownAnswerWithinMs : answerWithinMs;
}

/** Resolves when this tab has other tokens, or after the timeout. */
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
  /** Revokes tokens that are not to be used. */
  revoke: (renewed: Tokens) => Promise<void>;
}

/**
 * Runs `renew` in one tab at a time, and not at all if another tab has renewed these tokens.
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
      // The other tab's late message may carry the same refresh token. Do not revoke it.
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
