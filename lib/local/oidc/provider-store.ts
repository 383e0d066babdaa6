import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Clock } from '../../domain/time.ts';

/** Beyond this, the oldest entries are dropped: a sign-in page opened again and again would fill the memory. */
const entriesMax = 20_000;

interface Entry {
  payload: AdapterPayload;
  /** In milliseconds of the service's clock. */
  endsAt: number;
}

/** Time fields that the provider compares with its own time. */
const timesOf = ['iat', 'exp', 'iiat', 'loginTs', 'authTime'] as const;

/**
 * Storage of the provider: sessions, codes, refresh tokens. It is in memory only, so a restart signs all users out.
 *
 * The provider uses the machine's time. The store translates times to the service's clock on writes and back on reads,
 * so that entries expire by the clock of a test.
 */
export class ProviderStore {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  readonly #findClient: (clientId: string) => AdapterPayload | undefined;

  constructor(clock: Clock, findClient: (clientId: string) => AdapterPayload | undefined) {
    this.#clock = clock;
    this.#findClient = findClient;
  }

  /** Seconds by which the service's clock is ahead of the machine's. */
  aheadSeconds(): number {
    return Math.round((this.#clock() - Date.now()) / 1000);
  }

  /** Returns the adapter of one model, such as `RefreshToken`. */
  adapter(model: string): Adapter {
    const entries = this.#entries;
    const keyOf = (id: string) => `${model}:${id}`;
    const keyOfUid = (uid: string) =>
      [...entries].find(([key, { payload }]) => key.startsWith(`${model}:`) && payload.uid === uid)?.[0];
    return {
      upsert: async (id, payload, expiresIn) => this.#write(keyOf(id), payload, expiresIn),
      find: async (id) => (model === 'Client' ? this.#findClient(id) : this.#read(keyOf(id))),
      findByUid: async (uid) => this.#read(keyOfUid(uid) ?? ''),
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const entry = entries.get(keyOf(id));
        if (entry !== undefined) entry.payload = { ...entry.payload, consumed: Math.floor(this.#clock() / 1000) };
      },
      destroy: async (id) => void entries.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
      },
    };
  }

  #write(key: string, payload: AdapterPayload, expiresInSeconds = 0): void {
    const now = this.#clock();
    for (const [other, { endsAt }] of this.#entries) if (endsAt <= now) this.#entries.delete(other);
    this.#entries.delete(key);
    this.#entries.set(key, { payload: moved(payload, this.aheadSeconds()), endsAt: now + expiresInSeconds * 1000 });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > entriesMax && !oldest.done) this.#entries.delete(oldest.value);
  }

  #read(key: string): AdapterPayload | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.endsAt <= this.#clock()) return undefined;
    return moved(entry.payload, -this.aheadSeconds());
  }
}

function moved(payload: AdapterPayload, seconds: number): AdapterPayload {
  const times = timesOf.flatMap((name) => {
    const time = payload[name];
    return typeof time === 'number' ? [[name, time + seconds]] : [];
  });
  return { ...structuredClone(payload), ...Object.fromEntries(times) };
}
