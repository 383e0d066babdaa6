import { LRUCache } from 'lru-cache';
import type { ApiKeyRecord } from '../domain/api-keys.ts';
import type { ConnectionSecrets } from '../domain/connection-secrets.ts';
import type { AccessFacts, DataAccessReader, Principal } from '../domain/data-access.ts';
import type { DataConnectionAuthentication, DataConnectionRecord } from '../domain/data-connections.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';

/** The reads behind the cache, each one round trip. */
export interface DataAccessSource {
  readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
  ): Promise<Omit<AccessFacts, 'connection'>>;
  readConnection(dataConnectionId: string): Promise<DataConnectionRecord | undefined>;
  readApiKey(accessKeyId: string): Promise<ApiKeyRecord | undefined>;
}

interface Held<T> {
  value: Promise<T>;
  /** When the read began: what it returns was true then or later, so an age counts from here. */
  readAt: number;
}

/**
 * Facts kept in a warm instance's memory for as long as the bounds of the specification allow. The caller names the age
 * it can take; older facts are read again, and when that fails the request is refused, never answered from them.
 */
export class CachedDataAccess implements DataAccessReader {
  readonly #source: DataAccessSource;
  readonly #secrets: Pick<ConnectionSecrets, 'open'>;
  readonly #clock: Clock;
  readonly #access = new LRUCache<string, Held<Omit<AccessFacts, 'connection'>>>({ max: 10_000 });
  readonly #connections = new LRUCache<string, Held<DataConnectionRecord | undefined>>({ max: 1000 });
  readonly #apiKeys = new LRUCache<string, Held<ApiKeyRecord | undefined>>({ max: 10_000 });
  readonly #credentials = new LRUCache<string, Held<DataConnectionAuthentication | undefined>>({ max: 1000 });

  constructor(source: DataAccessSource, secrets: Pick<ConnectionSecrets, 'open'>, clock: Clock) {
    this.#source = source;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  async readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
    ageMaxSeconds: number,
  ): Promise<AccessFacts> {
    const facts = await this.#read(
      this.#access,
      JSON.stringify([principalKey(principal), path.account_id, path.repository_id]),
      ageMaxSeconds,
      () => this.#source.readAccess(principal, path),
    );
    const { repository } = facts;
    const mirror = repository?.data.mirrors[repository.data.primary_mirror];
    const connection =
      mirror === undefined ? undefined : await this.#readConnection(mirror.data_connection_id, ageMaxSeconds);
    return { ...facts, connection };
  }

  readApiKey(accessKeyId: string, ageMaxSeconds: number): Promise<ApiKeyRecord | undefined> {
    return this.#read(this.#apiKeys, accessKeyId, ageMaxSeconds, () => this.#source.readApiKey(accessKeyId));
  }

  readConnectionCredentials(dataConnectionId: string): Promise<DataConnectionAuthentication | undefined> {
    const ageMaxSeconds = limits.connectionCredentialsAgeMaxSeconds;
    return this.#read(this.#credentials, dataConnectionId, ageMaxSeconds, async () => {
      // Not from the cache above: the ages of the two would add up.
      const connection = await this.#source.readConnection(dataConnectionId);
      const sealed = connection?.sealed_authentication;
      return sealed === undefined ? undefined : this.#secrets.open(sealed, dataConnectionId);
    });
  }

  #readConnection(dataConnectionId: string, ageMaxSeconds: number) {
    return this.#read(this.#connections, dataConnectionId, ageMaxSeconds, () =>
      this.#source.readConnection(dataConnectionId),
    );
  }

  async #read<T>(
    cache: LRUCache<string, Held<T>>,
    key: string,
    ageMaxSeconds: number,
    read: () => Promise<T>,
  ): Promise<T> {
    const now = this.#clock();
    let held = cache.get(key);
    if (held === undefined || now - held.readAt > ageMaxSeconds * 1000) {
      held = { value: read(), readAt: now };
      cache.set(key, held);
    }
    try {
      return await held.value;
    } catch (error) {
      if (cache.get(key) === held) cache.delete(key);
      throw error instanceof ServiceError
        ? error
        : new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause: error });
    }
  }
}

function principalKey(principal: Principal): string[] {
  switch (principal.kind) {
    case 'anonymous':
      return [];
    // The role is not among the facts: FullAccess and ReadOnly credentials of one account share them.
    case 'service_account':
      return [principal.service_account_id, principal.service_account_uid];
    case 'api_key':
      return [principal.account_id];
  }
}
