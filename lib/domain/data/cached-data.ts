import { limits } from '../limits.ts';

/**
 * The item types from which cached authorization data is read, with the decisive attributes of each. A change of any
 * other attribute does not invalidate the cache.
 */
export const decisiveItems = {
  account: { partition: 'ACCOUNT#', decisive: ['disabled'] },
  service_account: {
    partition: 'ACCOUNT#',
    decisive: ['uid', 'disabled', 'times_disabled', 'ended_sources', 'federated_only'],
  },
  role: { partition: 'ACCOUNT#', decisive: ['role', 'state', 'repository_uid'] },
  repository: {
    partition: 'REPOSITORY#',
    decisive: ['uid', 'disabled', 'state', 'data_mode', 'data', 'federated_only', 'revoked_links', 'times_links_ended'],
  },
  grant: { partition: 'SERVICE_ACCOUNT#', decisive: ['access', 'repository_uid'] },
  api_key: { partition: 'API_KEY#', decisive: ['disabled', 'expires', 'repository_uid'] },
  repository_version: {
    partition: 'VERSION#',
    decisive: ['version_uid', 'state'],
  },
  data_connection: {
    partition: 'DATA_CONNECTION#',
    decisive: ['read_only', 'state', 'details', 'sealed_authentication'],
  },
} as const satisfies Record<string, { partition: `${string}#`; decisive: readonly string[] }>;
export type DecisiveItem = keyof typeof decisiveItems;

export interface CachedDataKind {
  /** The item types that this kind of authorization data is read from. */
  items: readonly DecisiveItem[];
  /** The item types among `items` that the service reads with a query over a whole partition. */
  queried?: readonly DecisiveItem[];
  /**
   * Prefix of the cache key of an account's repository list. Each change of a repository invalidates the list of its
   * account.
   */
  listed?: `${string}#`;
  /** Maximum age of the cached data, even if a caller accepts older data. */
  ageMaxSeconds: number;
  /** Maximum number of entries in a warm instance. */
  entriesMax: number;
}

const ageMaxSeconds = limits.readAuthorizationTtlSeconds;

/**
 * The kinds of authorization data that a warm instance of the data proxy caches. Three settings are derived from these
 * rows: the stream's filter for the change feed, the cache entries that a change invalidates, and the function's
 * permissions for the table. `lib/edge/cached-data-access.ts` reads each kind of data.
 */
export const cachedDataKinds = {
  access: {
    items: ['account', 'service_account', 'role', 'repository', 'grant'],
    ageMaxSeconds,
    entriesMax: 10_000,
  },
  rights: {
    items: ['account', 'service_account', 'role', 'grant'],
    queried: ['role', 'grant'],
    ageMaxSeconds,
    entriesMax: 1000,
  },
  accounts: { items: ['account'], ageMaxSeconds, entriesMax: 1000 },
  // An entry of the kinds `repositories` and `names` contains up to 1,000 repositories, so the cache holds few of these
  // entries.
  repositories: { items: ['repository'], ageMaxSeconds, entriesMax: 100 },
  names: { items: ['repository'], listed: 'REPOSITORIES#', ageMaxSeconds, entriesMax: 100 },
  connection: { items: ['data_connection'], ageMaxSeconds, entriesMax: 1000 },
  version: { items: ['repository_version'], ageMaxSeconds, entriesMax: 1000 },
  apiKey: { items: ['api_key'], ageMaxSeconds, entriesMax: 10_000 },
  credentials: {
    items: ['data_connection'],
    ageMaxSeconds: limits.connectionCredentialsTtlSeconds,
    entriesMax: 1000,
  },
} as const satisfies Record<string, CachedDataKind>;
export type CachedDataName = keyof typeof cachedDataKinds;

const kinds: readonly CachedDataKind[] = Object.values(cachedDataKinds);

/** The item types whose changes appear in the change feed. */
export const entitiesOfDataAccess: readonly DecisiveItem[] = [...new Set(kinds.flatMap(({ items }) => items))];

/** Prefixes of all table partitions from which cached authorization data is read. */
export const cachedPartitions: readonly `${string}#`[] = [
  ...new Set(entitiesOfDataAccess.map((item) => decisiveItems[item].partition)),
];

/** Prefixes of the table partitions that queries read as a whole. */
export const queriedPartitions: readonly `${string}#`[] = [
  ...new Set(kinds.flatMap(({ queried = [] }) => queried.map((item) => decisiveItems[item].partition))),
];
