import { signal } from '@preact/signals';
import { beginEpoch, currentEpoch } from './epoch.ts';

/** What a sign-in gave. It is in memory and in the storage of this tab, never in an address and never longer than the tab. */
export interface Tokens {
  /** Tells generations apart without saying anything of the tokens. */
  id: string;
  /** Those that this one took the place of. */
  earlier: string[];
  /** In which they were signed in; the first where there is none. */
  epoch?: string | undefined;
  access_token: string;
  /** Milliseconds since the epoch. */
  expires_at: number;
  refresh_token?: string | undefined;
  /** What the issuer knows the browser's session by, where it says so. Whoever has it can sign out, and do nothing else. */
  session_id?: string | undefined;
}

type Message = { kind: 'ask'; id: string } | { kind: 'renewed'; id: string; tokens: Tokens } | { kind: 'signed_out' };

const key = 'sluice.tokens';
const earlierMax = 8;

export const tokens = signal<Tokens | undefined>(read());
/** Held by each tab that has what took the place of these tokens: whoever has them still can wait for it to answer. */
const renewedName = (id: string) => `sluice-renewed ${id}`;
const toldOf = new Map<string, () => void>();

// What counts no more is not kept either.
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
  tellOfEarlier(value);
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that stores nothing keeps them in memory.
  }
}

/** Only insecure origins lack them: there the question to other tabs alone has to do. */
function locksOfOrigin(): LockManager | undefined {
  return navigator.locks as LockManager | undefined;
}

function tellOfEarlier(value: Tokens | undefined): void {
  for (const [id, release] of toldOf) {
    if (value?.earlier.includes(id)) continue;
    release();
    toldOf.delete(id);
  }
  for (const id of value?.earlier ?? []) {
    if (toldOf.has(id)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    toldOf.set(id, resolve);
    locksOfOrigin()
      ?.request(renewedName(id), { mode: 'shared' }, () => promise)
      .catch(() => undefined);
  }
}

/** The next generation of tokens, from a token endpoint's answer. */
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
 * Tabs of one sign-in: a copied tab has the same refresh token, and with rotation the second use of one ends them all. So
 * who renews asks first whether another tab has, and tells the others afterwards. The channel is this origin's alone.
 */
const channel = new BroadcastChannel('sluice-sign-in');

const leaving = new Set<() => void>();

/** Has `end` called when the person signs out, here or in another tab: for what else is kept of a sign-in. */
export function onSignOut(end: () => void): void {
  leaving.add(end);
}

function signedOut(): void {
  setTokens(undefined);
  for (const end of leaving) end();
}

// A page that comes back as it was when one left it has heard nothing meanwhile.
globalThis.addEventListener?.('pageshow', ({ persisted }) => {
  if (persisted && tokens.value !== undefined && !isOfThisEpoch(tokens.value)) signedOut();
});

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  // Also where this tab's own sign-in has ended before: what it began may go on still.
  if (data.kind === 'signed_out') return signedOut();
  const own = tokens.value;
  if (own === undefined) return;
  if (data.kind === 'ask' && own.earlier.includes(data.id)) tell({ kind: 'renewed', id: data.id, tokens: own });
  if (data.kind === 'renewed' && (own.id === data.id || data.tokens.earlier.includes(own.id))) setTokens(data.tokens);
});

function tell(message: Message): void {
  channel.postMessage(message);
}

const answerWithinMs = 250;
/** Of a tab that is known to have others, and may be busy, or in the background. */
const knownAnswerWithinMs = 5000;

/** How long another tab may take to answer. */
async function patienceFor({ id }: Tokens): Promise<number> {
  const { held = [] } = (await locksOfOrigin()?.query()) ?? {};
  return held.some(({ name }) => name === renewedName(id)) ? knownAnswerWithinMs : answerWithinMs;
}

/** Until these tokens are no longer those of this tab, or for so long. */
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
  /** Has the issuer end what nobody is to keep. */
  revoke: (renewed: Tokens) => Promise<void>;
}

/**
 * Carries `renew` out in one tab at a time, and not at all where another tab has renewed these tokens already. Whoever
 * signs out meanwhile stays signed out: what comes then is revoked and kept nowhere.
 */
export async function renewOnce(before: Tokens, { renew, revoke }: Renewal): Promise<void> {
  const run = async () => {
    if (tokens.value?.id !== before.id) return;
    const patience = await patienceFor(before);
    tell({ kind: 'ask', id: before.id });
    await untilReplaced(before, patience);
    if (tokens.value?.id !== before.id) return;
    const renewed = await renew();
    if (tokens.value?.id !== before.id) {
      // A tab that told of its renewal late may hold the same refresh token: that sign-in goes on.
      if (!tokens.value?.earlier.includes(before.id)) await revoke(renewed);
      return;
    }
    setTokens(renewed);
    tell({ kind: 'renewed', id: before.id, tokens: renewed });
  };
  const locks = locksOfOrigin();
  await (locks === undefined ? run() : locks.request('sluice-renew', run));
}

export function forgetTokens(): void {
  beginEpoch();
  signedOut();
  tell({ kind: 'signed_out' });
}
