import { limits } from '../limits.ts';

/**
 * Kinds of items from which a cached fact may be made: where they lie, and which of their attributes decide about access.
 * A change of another attribute makes nobody forget anything.
 */
export const decisiveItems = {
  account: { partition: 'ACCOUNT#', decisive: ['disabled'] },
  service_account: { partition: 'ACCOUNT#', decisive: ['uid', 'disabled'] },
  role: { partition: 'ACCOUNT#', decisive: ['role', 'state', 'repository_uid'] },
  repository: { partition: 'REPOSITORY#', decisive: ['uid', 'disabled', 'state', 'data_mode', 'data'] },
  grant: { partition: 'SERVICE_ACCOUNT#', decisive: ['access', 'repository_uid'] },
  api_key: { partition: 'API_KEY#', decisive: ['disabled', 'expires', 'repository_uid'] },
  data_connection: { partition: 'DATA_CONNECTION#', decisive: ['read_only', 'details', 'sealed_authentication'] },
} as const satisfies Record<string, { partition: `${string}#`; decisive: readonly string[] }>;
export type DecisiveItem = keyof typeof decisiveItems;

export interface CachedDataKind {
  /** The kinds of items that a read of it takes from their partitions. */
  items: readonly DecisiveItem[];
  /** Those among them of which it reads all that a partition holds. */
  queried?: readonly DecisiveItem[];
  /** Made from all repositories of an account, which the feed names one at a time: how the list of them is named to the caches. */
  listed?: `${string}#`;
  /** No older than this, whatever a caller would take. */
  ageMaxSeconds: number;
  /** How many of them a warm instance keeps. */
  entriesMax: number;
}

const ageMaxSeconds = limits.readAuthorizationTtlSeconds;

/**
 * What a warm instance of the data proxy caches about access, a row for each kind. From these rows follow what the stream's
 * filter lets through to the revocation feed, what an instance forgets when it hears of a change, and what the function
 * may read of the table. How a kind is read is in `lib/edge/cached-data-access.ts`.
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
  // Few of these two: each holds up to a thousand repositories.
  repositories: { items: ['repository'], ageMaxSeconds, entriesMax: 100 },
  names: { items: ['repository'], listed: 'REPOSITORIES#', ageMaxSeconds, entriesMax: 100 },
  connection: { items: ['data_connection'], ageMaxSeconds, entriesMax: 1000 },
  apiKey: { items: ['api_key'], ageMaxSeconds, entriesMax: 10_000 },
  credentials: {
    items: ['data_connection'],
    ageMaxSeconds: limits.connectionCredentialsTtlSeconds,
    entriesMax: 1000,
  },
} as const satisfies Record<string, CachedDataKind>;
export type CachedDataName = keyof typeof cachedDataKinds;

const kinds: readonly CachedDataKind[] = Object.values(cachedDataKinds);

/** The kinds of items whose changes the revocation feed tells. */
export const entitiesOfDataAccess: readonly DecisiveItem[] = [...new Set(kinds.flatMap(({ items }) => items))];

/** Beginnings of the partitions that any of them is read from. */
export const cachedPartitions: readonly `${string}#`[] = [
  ...new Set(entitiesOfDataAccess.map((item) => decisiveItems[item].partition)),
];

/** Beginnings of the partitions that are read as a whole. */
export const queriedPartitions: readonly `${string}#`[] = [
  ...new Set(kinds.flatMap(({ queried = [] }) => queried.map((item) => decisiveItems[item].partition))),
];
