import { LRUCache } from 'lru-cache';
import type { ApiKeyRecord } from '../domain/accounts/api-keys.ts';
import {
  type AccessFacts,
  type AccountFacts,
  type DataAccessReader,
  type ListedRepositoryFacts,
  mayReadData,
  type Principal,
  type PrincipalRights,
  type RepositoryIdentity,
  type StorageCredentials,
} from '../domain/data/data-access.ts';
import type { DataConnectionAuthentication, DataConnectionRecord } from '../domain/data/data-connections.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ConnectionSecrets } from '../domain/secrets/connection-secrets.ts';
import type { Clock } from '../domain/time.ts';
import {
  accessPartitions,
  accountPartition,
  apiKeyPartition,
  connectionPartition,
  repositoriesPartition,
  repositoryPartition,
  rightsPartitions,
  withLists,
} from '../store/revocation-feed.ts';
import type { RoleCredentialSource } from './assumed-roles.ts';
import { FeedListener, type FeedListening, type Heard } from './feed-follower.ts';

/** The reads behind the cache; those for a single repository are one round trip each. */
export interface DataAccessSource {
  readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
  ): Promise<Omit<AccessFacts, 'connection'>>;
  readRights(principal: Principal): Promise<PrincipalRights>;
  readAccounts(accountIds: readonly string[]): Promise<readonly AccountFacts[]>;
  readIdentities(
    paths: readonly { account_id: string; repository_id: string }[],
  ): Promise<readonly RepositoryIdentity[]>;
  readRepositories(accountId: string): Promise<readonly ListedRepositoryFacts[]>;
  readConnection(dataConnectionId: string): Promise<DataConnectionRecord | undefined>;
  readApiKey(accessKeyId: string): Promise<ApiKeyRecord | undefined>;
}

/** What turns the sealed authentication of a connection into credentials. */
export interface StorageAccess {
  secrets: Pick<ConnectionSecrets, 'open'>;
  roles: RoleCredentialSource;
}

interface OpenedConnection {
  connection: DataConnectionRecord;
  authentication: DataConnectionAuthentication;
}

interface Held<T> {
  value: Promise<T>;
  /** When the read began: what it returns was true then or later, so an age counts from here. */
  readAt: number;
  /** Where it was read from, as the revocation feed names it. */
  partitions: readonly string[];
}

type Cache<T> = LRUCache<string, Held<T>>;

/**
 * Facts kept in a warm instance's memory for as long as the bounds of the specification allow. The caller names the age
 * it can take; older facts are read again, and when that fails the request is refused, never answered from them. What
 * the revocation feed names is forgotten sooner; without a feed, or while it cannot be read, the ages alone hold.
 */
export class CachedDataAccess implements DataAccessReader {
  readonly #source: DataAccessSource;
  readonly #secrets: StorageAccess['secrets'];
  readonly #roles: RoleCredentialSource;
  readonly #clock: Clock;
  readonly #listener: FeedListener | undefined;
  readonly #access: Cache<Omit<AccessFacts, 'connection'>> = new LRUCache({ max: 10_000 });
  readonly #rights: Cache<PrincipalRights> = new LRUCache({ max: 1000 });
  readonly #accounts: Cache<readonly AccountFacts[]> = new LRUCache({ max: 1000 });
  readonly #identities: Cache<readonly RepositoryIdentity[]> = new LRUCache({ max: 1000 });
  // Few: an account may own thousands of repositories.
  readonly #repositories: Cache<readonly ListedRepositoryFacts[]> = new LRUCache({ max: 100 });
  readonly #connections: Cache<DataConnectionRecord | undefined> = new LRUCache({ max: 1000 });
  readonly #apiKeys: Cache<ApiKeyRecord | undefined> = new LRUCache({ max: 10_000 });
  readonly #credentials: Cache<OpenedConnection | undefined> = new LRUCache({ max: 1000 });

  constructor(source: DataAccessSource, { secrets, roles }: StorageAccess, clock: Clock, listening?: FeedListening) {
    this.#source = source;
    this.#secrets = secrets;
    this.#roles = roles;
    this.#clock = clock;
    this.#listener = listening && new FeedListener(listening, clock, (heard) => this.#forget(heard));
  }

  async readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
    ageMaxSeconds: number,
  ): Promise<AccessFacts> {
    const partitions = accessPartitions(principal, path);
    const facts = await this.#read(this.#access, JSON.stringify(partitions), partitions, ageMaxSeconds, () =>
      this.#source.readAccess(principal, path),
    );
    const { repository } = facts;
    const mirror = mayReadData(principal, facts) ? repository?.data.mirrors[repository.data.primary_mirror] : undefined;
    const connection =
      mirror === undefined ? undefined : await this.#readConnection(mirror.data_connection_id, ageMaxSeconds);
    return { ...facts, connection };
  }

  readRights(principal: Principal, ageMaxSeconds: number): Promise<PrincipalRights> {
    const partitions = rightsPartitions(principal);
    return this.#read(this.#rights, JSON.stringify(partitions), partitions, ageMaxSeconds, () =>
      this.#source.readRights(principal),
    );
  }

  readAccounts(accountIds: readonly string[], ageMaxSeconds: number): Promise<readonly AccountFacts[]> {
    const partitions = accountIds.map(accountPartition);
    return this.#read(this.#accounts, JSON.stringify(partitions), partitions, ageMaxSeconds, () =>
      this.#source.readAccounts(accountIds),
    );
  }

  async readIdentities(
    paths: readonly { account_id: string; repository_id: string }[],
    ageMaxSeconds: number,
  ): Promise<readonly RepositoryIdentity[]> {
    if (paths.length === 0) return [];
    const partitions = paths.map(({ account_id, repository_id }) => repositoryPartition(account_id, repository_id));
    return this.#read(this.#identities, JSON.stringify(partitions), partitions, ageMaxSeconds, () =>
      this.#source.readIdentities(paths),
    );
  }

  readRepositories(accountId: string, ageMaxSeconds: number): Promise<readonly ListedRepositoryFacts[]> {
    const partitions = [repositoriesPartition(accountId)];
    return this.#read(this.#repositories, accountId, partitions, ageMaxSeconds, () =>
      this.#source.readRepositories(accountId),
    );
  }

  readApiKey(accessKeyId: string, ageMaxSeconds: number): Promise<ApiKeyRecord | undefined> {
    const partitions = [apiKeyPartition(accessKeyId)];
    return this.#read(this.#apiKeys, accessKeyId, partitions, ageMaxSeconds, () =>
      this.#source.readApiKey(accessKeyId),
    );
  }

  async readConnectionCredentials(dataConnectionId: string): Promise<StorageCredentials | undefined> {
    const ageMaxSeconds = limits.connectionCredentialsAgeMaxSeconds;
    const partitions = [connectionPartition(dataConnectionId)];
    const opened = await this.#read(this.#credentials, dataConnectionId, partitions, ageMaxSeconds, async () => {
      // Not from the cache above: the ages of the two would add up.
      const connection = await this.#source.readConnection(dataConnectionId);
      const sealed = connection?.sealed_authentication;
      if (connection === undefined || sealed === undefined) return undefined;
      return { connection, authentication: await this.#secrets.open(sealed, dataConnectionId) };
    });
    if (opened === undefined) return undefined;
    const { connection, authentication } = opened;
    return authentication.type === 's3_access_key' ? authentication : this.#roles(connection, authentication);
  }

  #readConnection(dataConnectionId: string, ageMaxSeconds: number) {
    const partitions = [connectionPartition(dataConnectionId)];
    return this.#read(this.#connections, dataConnectionId, partitions, ageMaxSeconds, () =>
      this.#source.readConnection(dataConnectionId),
    );
  }

  async #read<T>(
    cache: Cache<T>,
    key: string,
    partitions: readonly string[],
    ageMaxSeconds: number,
    read: () => Promise<T>,
  ): Promise<T> {
    await this.#listener?.catchUp();
    const now = this.#clock();
    const kept = cache.get(key);
    if (kept !== undefined && now - kept.readAt <= ageMaxSeconds * 1000) return kept.value;
    const held = { value: read().catch(refuse), readAt: now, partitions };
    cache.set(key, held);
    try {
      return await held.value;
    } catch (refusal) {
      // What is too old for a write may do for a read. What was forgotten meanwhile stays forgotten.
      if (cache.get(key) === held) {
        if (kept === undefined) cache.delete(key);
        else cache.set(key, kept);
      }
      throw refusal;
    }
  }

  /** What is still being read is forgotten too: it may have been read before the change. */
  #forget(heard: Heard): void {
    const changed = heard === 'everything' ? heard : withLists(heard);
    const forgetIn = <T>(cache: Cache<T>) => {
      for (const [key, { partitions }] of [...cache.entries()]) {
        if (changed === 'everything' || partitions.some((partition) => changed.has(partition))) cache.delete(key);
      }
    };
    forgetIn(this.#access);
    forgetIn(this.#rights);
    forgetIn(this.#accounts);
    forgetIn(this.#identities);
    forgetIn(this.#repositories);
    forgetIn(this.#connections);
    forgetIn(this.#apiKeys);
    forgetIn(this.#credentials);
  }
}

function refuse(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause });
}
