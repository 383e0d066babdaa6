import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Clock } from '../../domain/time.ts';

/**
 * The maximum number of entries. The store drops the oldest ones above it. Without a maximum, opening the sign-in page
 * again and again would fill the memory.
 */
const entriesMax = 20_000;

interface Entry {
  payload: AdapterPayload;
  /** The expiry of an entry in milliseconds since the Unix epoch, by the service's clock. */
  endsAt: number;
}

/** The fields of an entry that contain times. The provider compares them with the machine's time. */
const timesOf = ['iat', 'exp', 'iiat', 'loginTs', 'authTime'] as const;

/**
 * Stores the provider's sessions, codes, and refresh tokens. They are in memory only, so a restart signs all users out.
 * The provider uses the machine's time, but entries must expire by the service's clock, which a test can set. The store
 * therefore converts times to the service's clock when it writes, and back when it reads.
 */
export class ProviderStore {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  readonly #findClient: (clientId: string) => AdapterPayload | undefined;

  constructor(clock: Clock, findClient: (clientId: string) => AdapterPayload | undefined) {
    this.#clock = clock;
    this.#findClient = findClient;
  }

  /** Returns the number of seconds by which the service's clock is ahead of the machine's clock. */
  aheadSeconds(): number {
    return Math.round((this.#clock() - Date.now()) / 1000);
  }

  /** Returns the storage adapter for one kind of entry, such as `RefreshToken`. */
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
