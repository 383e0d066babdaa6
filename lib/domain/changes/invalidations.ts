import * as z from 'zod';
import { isOpenToAnyone } from '../data/repositories.ts';
import type { TableChange } from './table-changes.ts';

/** The repository or the account whose cached responses must be invalidated. */
export interface InvalidationTarget {
  account_id: string;
  repository_id?: string | undefined;
}

/**
 * Starts cache invalidations immediately. Repeats them later, when every instance uses the changed authorization data.
 */
export interface InvalidationQueue {
  send(targets: readonly InvalidationTarget[]): Promise<void>;
}

/**
 * The two caches of a deployment: objects of the data proxy, and pages of the site. Each queue message concerns one
 * cache.
 */
export const cacheNames = ['objects', 'pages'] as const;

export type CacheName = (typeof cacheNames)[number];

/** The invalidations of a CloudFront distribution, or of the local service's cache. */
export interface Distribution {
  /** Returns the invalidations of the last hour, in any order. */
  listInvalidations(): Promise<readonly StartedInvalidation[]>;
  invalidate(paths: readonly string[]): Promise<void>;
}

export interface StartedInvalidation {
  paths: readonly string[];
  /** The start of the invalidation, in milliseconds since the Unix epoch. */
  beganAt: number;
  isCompleted: boolean;
}

export const invalidationTiming = {
  gatherSeconds: 10,
  /**
   * Delay of the second invalidation. For up to 10 s after a change, an instance can use outdated data and put an
   * outdated response into the cache again.
   */
  againAfterSeconds: 30,
  /**
   * A response that takes longer than this is not cached. A cached response thus ends before the second invalidation,
   * which runs 30 s after the change. Of these 30 s, 10 s are for outdated data, and 5 s are a margin.
   */
  answeredWithinSeconds: 15,
  /**
   * CloudFront's limit for paths with `*` whose invalidation is in progress. Above the limit, CloudFront refuses
   * invalidations.
   */
  wildcardsMax: 15,
  /** Maximum number of accounts in a queue message. The paths of their pages fit into one CloudFront invalidation. */
  accountsPerMessageMax: 5,
  /**
   * If a distribution had this many invalidations in an hour, the next invalidations cover whole accounts instead of
   * repositories.
   */
  exactPerHourMax: 20,
  /**
   * If this many invalidations in an hour concern an account, its next invalidations cover the whole account instead of
   * repositories.
   */
  exactPerAccountMax: 6,
  /**
   * Minimum time between two invalidations after an hourly limit is reached. It limits the cost of invalidations, which
   * is half a cent per path.
   */
  apartSeconds: 120,
} as const;

type Item = TableChange['after'];

/**
 * Returns the repository or account that a change made private. Also returns a public repository with a new storage
 * location, or with a withdrawn version.
 */
export function invalidationTargetOf({ before, after }: TableChange): InvalidationTarget | undefined {
  if (before === undefined) return undefined;
  const { entity, account_id, repository_id } = before;
  if (entity === 'repository_version') {
    return before['state'] === 'ready' ? withdrawnVersionSchema.safeParse(after).data?.cached_at : undefined;
  }
  if (typeof account_id !== 'string') return undefined;
  if (entity === 'account') {
    return before['disabled'] !== true && (after === undefined || after['disabled'] === true)
      ? { account_id }
      : undefined;
  }
  if (entity !== 'repository' || typeof repository_id !== 'string' || !isOpen(before)) return undefined;
  return isOpen(after) && isSameData(before, after) ? undefined : { account_id, repository_id };
}

/**
 * A withdrawn version needs no paths of its own, because the paths of its repository cover it: the repository's pages
 * show the version.
 */
const withdrawnVersionSchema = z.object({
  state: z.literal('withdrawn'),
  cached_at: z.object({ account_id: z.string(), repository_id: z.string() }),
});

function isOpen(repository: Item): boolean {
  return repository !== undefined && isOpenToAnyone(repository as unknown as Parameters<typeof isOpenToAnyone>[0]);
}

function isSameData(before: Item, after: Item): boolean {
  return ['uid', 'data'].every((name) => JSON.stringify(before?.[name]) === JSON.stringify(after?.[name]));
}

/** Returns the bodies of queue messages. Each message concerns one cache and up to `accountsPerMessageMax` accounts. */
export function invalidationMessages(targets: readonly InvalidationTarget[]): string[] {
  const accounts = [...new Set(targets.map(({ account_id }) => account_id))];
  const { accountsPerMessageMax } = invalidationTiming;
  return Array.from({ length: Math.ceil(accounts.length / accountsPerMessageMax) }, (_, at) => {
    const those = new Set(accounts.slice(at * accountsPerMessageMax, (at + 1) * accountsPerMessageMax));
    return targets.filter(({ account_id }) => those.has(account_id));
  }).flatMap((part) => cacheNames.map((cache) => JSON.stringify({ cache, targets: part })));
}

/** Returns the paths to invalidate in one cache. They never match an account that is not among the targets. */
export type PathsOf = (targets: readonly InvalidationTarget[]) => readonly string[];

/** Replaces each repository by its account, because one account needs fewer paths than many repositories. */
export function wholeAccounts(targets: readonly InvalidationTarget[]): InvalidationTarget[] {
  return targets.map(({ account_id }) => ({ account_id }));
}

/** Returns the number of paths that contain `*` and count toward `wildcardsMax`. */
export function countWildcards(paths: readonly string[]): number {
  return paths.filter((path) => path.endsWith('*')).length;
}

/**
 * Returns the paths of the front page, the search, the sitemap, and of all pages that show a target. Each page has a
 * path with and without a query.
 */
export const pageInvalidationPaths: PathsOf = (targets) => {
  const paths = new Set<string>();
  for (const { account_id, repository_id } of targets) {
    paths.add(`/${account_id}`);
    paths.add(`/${account_id}?*`);
    paths.add(repository_id === undefined ? `/${account_id}/*` : `/${account_id}/${repository_id}*`);
  }
  return [...paths, '/', '/-/search*', '/sitemap*'];
};

/**
 * Returns the paths of the targets' objects and of their versions, such as `/tides/gauges@v1/a.csv`.
 *
 * A path-style path also matches repositories of the account whose IDs begin in the same way, because one path costs
 * half of two. With virtual hosts, the path of a response does not contain the account. A path for a whole account
 * therefore does not match these responses, and they stay cached until their TTL ends.
 */
export function invalidationPaths(hasVirtualHosts: boolean): PathsOf {
  return (targets) => {
    const paths = new Set<string>();
    for (const { account_id, repository_id } of targets) {
      if (repository_id === undefined) paths.add(`/${account_id}/*`);
      else {
        paths.add(`/${account_id}/${repository_id}*`);
        if (hasVirtualHosts) paths.add(`/${repository_id}/*`).add(`/${repository_id}@*`);
      }
    }
    return [...paths];
  };
}

/**
 * Returns whether invalidations have reached an hourly limit, for all accounts together and for each account. One
 * account can use at most `exactPerAccountMax` of the total.
 */
export function exactLimits(started: readonly StartedInvalidation[], now: number) {
  const { exactPerHourMax, exactPerAccountMax } = invalidationTiming;
  const counts = new Map<string, number>();
  const countOf = (accountId: string) => counts.get(accountId) ?? 0;
  const isReachedBy = (accountId: string) => countOf(accountId) >= exactPerAccountMax;
  let shared = 0;
  const inLastHour = started.filter(({ beganAt }) => beganAt > now - 3_600_000);
  for (const { paths } of inLastHour.toSorted((a, b) => a.beganAt - b.beganAt)) {
    const accounts = accountsIn(paths);
    if (!accounts.every(isReachedBy)) shared += 1;
    for (const account of accounts) counts.set(account, countOf(account) + 1);
  }
  return { isReached: shared >= exactPerHourMax, isReachedBy, countOf };
}

/**
 * Returns the accounts whose paths an invalidation contains. In a path of a virtual host, the first segment is a
 * repository and not an account.
 */
function accountsIn(paths: readonly string[]): string[] {
  const accounts = new Set<string>();
  const repositories = new Set<string>();
  for (const path of paths) {
    const [, account, repository] = /^\/([a-z0-9-]+)\/([a-z0-9-]+)(?:\/?\*)$/.exec(path) ?? [];
    if (account === undefined || repository === undefined || account === '-') continue;
    accounts.add(account);
    repositories.add(repository);
  }
  for (const path of paths) {
    const account = /^\/([a-z0-9-]+)\/\*$/.exec(path)?.[1];
    if (account !== undefined && !repositories.has(account)) accounts.add(account);
  }
  return [...accounts];
}
