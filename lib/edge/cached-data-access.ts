import type { ApiKeyRecord } from '../domain/accounts/api-keys.ts';
import type { CachedDataName } from '../domain/data/cached-data.ts';
import {
  type AccountStatus,
  type AuthorizationData,
  type DataAccessReader,
  type DatedAuthorizationData,
  type ListedRepositoryStatus,
  mayReadData,
  type NamesRange,
  type NamesShare,
  type Principal,
  type PrincipalRights,
} from '../domain/data/data-access.ts';
import type {
  ConnectionSecrets,
  DataConnectionAuthentication,
  DataConnectionRecord,
} from '../domain/data/data-connections.ts';
import type { RepositoryVersionRecord } from '../domain/data/repository-versions.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage } from '../domain/list-pages.ts';
import type { Clock } from '../domain/time.ts';
import {
  accessPartitions,
  accountPartition,
  apiKeyPartition,
  connectionPartition,
  repositoriesPartition,
  repositoryPartition,
  rightsPartitions,
  versionPartition,
} from '../store/revocation-feed.ts';
import type { RoleCredentialSource } from './assumed-roles.ts';
import { AuthorizationCaches, type DatedValue } from './authorization-cache.ts';
import type { FeedConsumerOptions } from './feed-consumer.ts';

interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

/**
 * The database reads that fill the cache of authorization data. A read for a single repository takes one round trip.
 */
export interface DataAccessSource {
  readAccess(principal: Principal, path: RepositoryPath): Promise<Omit<AuthorizationData, 'connection'>>;
  readRights(principal: Principal): Promise<PrincipalRights>;
  readAccounts(accountIds: readonly string[]): Promise<readonly AccountStatus[]>;
  readRepositories(paths: readonly RepositoryPath[]): Promise<readonly ListedRepositoryStatus[]>;
  readNames(accountId: string, share: NamesShare, range: NamesRange): Promise<ListPage<ListedRepositoryStatus>>;
  readConnection(dataConnectionId: string): Promise<DataConnectionRecord | undefined>;
  readVersion(versionsUid: string, name: string): Promise<RepositoryVersionRecord | undefined>;
  readApiKey(accessKeyId: string): Promise<ApiKeyRecord | undefined>;
}

/** Returns the credentials of a data connection. Decrypts stored credentials, or assumes a role. */
export interface StorageAccess {
  secrets: Pick<ConnectionSecrets, 'open'>;
  roles: RoleCredentialSource;
}

interface OpenedConnection {
  connection: DataConnectionRecord;
  authentication: DataConnectionAuthentication;
}

/**
 * Caches authorization data in the memory of a warm instance. The caller sets the maximum age. If the cached data is
 * older, the class reads it again. If this read fails, the class throws and never returns older data.
 *
 * The change feed invalidates entries earlier. Without the feed, or while it cannot be read, entries expire only by
 * age.
 */
export class CachedDataAccess implements DataAccessReader {
  readonly #readers: ReturnType<typeof createDataReaders>;
  readonly #roles: RoleCredentialSource;

  constructor(
    source: DataAccessSource,
    { secrets, roles }: StorageAccess,
    clock: Clock,
    listening?: FeedConsumerOptions,
  ) {
    this.#readers = createDataReaders(source, secrets, new AuthorizationCaches(clock, listening));
    this.#roles = roles;
  }

  async readAccess(principal: Principal, path: RepositoryPath, ageMaxSeconds: number): Promise<DatedAuthorizationData> {
    const { value: data, read_at } = await this.#readers.access(ageMaxSeconds, principal, path);
    const { repository } = data;
    const mirror = mayReadData(principal, data) ? repository?.data.mirrors[repository.data.primary_mirror] : undefined;
    if (mirror === undefined) return { ...data, connection: undefined, read_at };
    // Start to read the storage credentials, because the caller needs them next. If this read fails, the caller gets
    // the error only when it requests the credentials.
    this.#readCredentials(mirror.data_connection_id).catch(() => undefined);
    const connection = await this.#readers.connection(ageMaxSeconds, mirror.data_connection_id);
    return { ...data, connection: connection.value, read_at: Math.min(read_at, connection.read_at) };
  }

  #readCredentials(dataConnectionId: string): Promise<DatedValue<OpenedConnection | undefined>> {
    return this.#readers.credentials(limits.connectionCredentialsTtlSeconds, dataConnectionId);
  }

  readonly readRights: DataAccessReader['readRights'] = async (principal, ageMaxSeconds) =>
    (await this.#readers.rights(ageMaxSeconds, principal)).value;

  readonly readAccounts: DataAccessReader['readAccounts'] = async (accountIds, ageMaxSeconds) =>
    (await this.#readers.accounts(ageMaxSeconds, accountIds)).value;

  readonly readRepositories: DataAccessReader['readRepositories'] = async (paths, ageMaxSeconds) =>
    paths.length === 0 ? [] : (await this.#readers.repositories(ageMaxSeconds, paths)).value;

  readonly readNames: DataAccessReader['readNames'] = async (accountId, share, range, ageMaxSeconds) =>
    (await this.#readers.names(ageMaxSeconds, accountId, share, range)).value;

  readonly readVersion: DataAccessReader['readVersion'] = async (versionsUid, name, ageMaxSeconds) => {
    const { value, read_at } = await this.#readers.version(ageMaxSeconds, versionsUid, name);
    return { version: value, read_at };
  };

  readonly readConnection: DataAccessReader['readConnection'] = async (dataConnectionId, ageMaxSeconds) => {
    const { value, read_at } = await this.#readers.connection(ageMaxSeconds, dataConnectionId);
    return { connection: value, read_at };
  };

  readonly readApiKey: DataAccessReader['readApiKey'] = async (accessKeyId, ageMaxSeconds) =>
    (await this.#readers.apiKey(ageMaxSeconds, accessKeyId)).value;

  readonly readConnectionCredentials: DataAccessReader['readConnectionCredentials'] = async (current) => {
    const { value: opened, read_at } = await this.#readCredentials(current.data_connection_id);
    if (opened === undefined) return { credentials: undefined, read_at };
    const { connection, authentication } = opened;
    if (authentication.type === 's3_access_key') return { credentials: authentication, read_at };
    // The role of a draft may accept tokens of any account until a test has passed. The cached state can be older than
    // the credentials, so check the cached and the current state.
    const isDraft = [current, connection].some(({ state }) => state === 'draft');
    if (authentication.type === 's3_web_identity_role' && isDraft) throw unproved;
    return { credentials: await this.#roles(connection, authentication), read_at };
  };
}

const unproved = new ServiceError(
  'unavailable',
  'The storage of this repository is not tested after a change; ask its owner to test the data connection.',
);

/** Defines, for each kind in `cachedDataKinds`, how to read it and from which partitions. */
function createDataReaders(source: DataAccessSource, secrets: StorageAccess['secrets'], caches: AuthorizationCaches) {
  return {
    access: caches.create('access', {
      partitions: accessPartitions,
      read: (principal: Principal, path: RepositoryPath) => source.readAccess(principal, path),
    }),
    rights: caches.create('rights', {
      partitions: rightsPartitions,
      read: (principal: Principal) => source.readRights(principal),
    }),
    accounts: caches.create('accounts', {
      partitions: (accountIds: readonly string[]) => accountIds.map(accountPartition),
      read: (accountIds) => source.readAccounts(accountIds),
    }),
    repositories: caches.create('repositories', {
      partitions: (paths: readonly RepositoryPath[]) =>
        paths.map(({ account_id, repository_id }) => repositoryPartition(account_id, repository_id)),
      read: (paths) => source.readRepositories(paths),
    }),
    names: caches.create('names', {
      partitions: (accountId: string, _share: NamesShare, _range: NamesRange) => [repositoriesPartition(accountId)],
      part: (_, share, { from, to, limit }) => [share, from, to, limit],
      read: (accountId, share, range) => source.readNames(accountId, share, range),
    }),
    connection: caches.create('connection', {
      partitions: (dataConnectionId: string) => [connectionPartition(dataConnectionId)],
      read: (dataConnectionId) => source.readConnection(dataConnectionId),
    }),
    version: caches.create('version', {
      partitions: (versionsUid: string, name: string) => [versionPartition(versionsUid, name)],
      read: (versionsUid, name) => source.readVersion(versionsUid, name),
    }),
    apiKey: caches.create('apiKey', {
      partitions: (accessKeyId: string) => [apiKeyPartition(accessKeyId)],
      read: (accessKeyId) => source.readApiKey(accessKeyId),
    }),
    credentials: caches.create('credentials', {
      partitions: (dataConnectionId: string) => [connectionPartition(dataConnectionId)],
      read: async (dataConnectionId): Promise<OpenedConnection | undefined> => {
        // Read the connection without its cache, because the ages of two caches would add up.
        const connection = await source.readConnection(dataConnectionId);
        const sealed = connection?.sealed_authentication;
        if (connection === undefined || sealed === undefined) return undefined;
        return { connection, authentication: await secrets.open(sealed, dataConnectionId) };
      },
    }),
  } satisfies Record<CachedDataName, unknown>;
}
