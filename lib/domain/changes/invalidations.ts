import { isOpenToAnyone } from '../data/repositories.ts';
import type { TableChange } from './table-changes.ts';

/** What cached answers are about: a repository, or everything of an account. */
export interface InvalidationTarget {
  account_id: string;
  repository_id?: string | undefined;
}

/** Requests invalidations: at once, and again when no instance decides by outdated authorization data any longer. */
export interface InvalidationQueue {
  send(targets: readonly InvalidationTarget[]): Promise<void>;
}

/** The caches: the data proxy's of objects and the site's of pages. Each gets messages of its own. */
export const cacheNames = ['objects', 'pages'] as const;

export type CacheName = (typeof cacheNames)[number];

/** A CloudFront distribution, or the cache of one machine. */
export interface Distribution {
  countInvalidations(): Promise<InvalidationCounts>;
  invalidate(paths: readonly string[]): Promise<void>;
}

export interface InvalidationCounts {
  /** Paths with `*` of invalidations that are not completed. */
  wildcardsInProgress: number;
  /** Begun within the last hour, completed or not. */
  inLastHour: number;
  /** Milliseconds since the Unix epoch; undefined where none began in the last hour. */
  lastBeganAt: number | undefined;
}

export const invalidationTiming = {
  gatherSeconds: 10,
  /** Instances read the feed every ten seconds: until then one that had just read it may fill the cache again. */
  againAfterSeconds: 30,
  /**
   * An answer that storage gives later is not cached: it would come after the last invalidation. Of the thirty seconds ten
   * are those in which an instance may still decide by outdated data, and five are to spare.
   */
  answeredWithinSeconds: 15,
  /**
   * CloudFront has 15 paths with `*` in progress at most for a distribution, and refuses a request that goes beyond
   * ("Concurrent invalidation request maximum").
   */
  wildcardsMax: 15,
  /** A message names at most so many accounts: the paths of their pages fit into one invalidation. */
  accountsPerMessageMax: 5,
  /** After so many invalidations of a distribution in an hour, each names the paths of whole accounts … */
  exactPerHourMax: 20,
  /**
   * … and they begin this far apart, so that their cost is bounded: half a cent for each path. Cached answers age out in
   * about the same time, so that more would gain little.
   */
  apartSeconds: 120,
} as const;

type Item = TableChange['after'];

/** What a change closed that anyone could read before. */
export function invalidationTargetOf({ before, after }: TableChange): InvalidationTarget | undefined {
  if (before === undefined) return undefined;
  const { entity, account_id, repository_id } = before;
  if (typeof account_id !== 'string') return undefined;
  if (entity === 'account') {
    return before['disabled'] !== true && (after === undefined || after['disabled'] === true)
      ? { account_id }
      : undefined;
  }
  if (entity !== 'repository' || typeof repository_id !== 'string' || !isOpen(before)) return undefined;
  return isOpen(after) && isSameData(before, after) ? undefined : { account_id, repository_id };
}

function isOpen(repository: Item): boolean {
  return repository !== undefined && isOpenToAnyone(repository as unknown as Parameters<typeof isOpenToAnyone>[0]);
}

function isSameData(before: Item, after: Item): boolean {
  return ['uid', 'data'].every((name) => JSON.stringify(before?.[name]) === JSON.stringify(after?.[name]));
}

/** Bodies of messages for the queue: some accounts each, for each of the caches. */
export function invalidationMessages(targets: readonly InvalidationTarget[]): string[] {
  const accounts = [...new Set(targets.map(({ account_id }) => account_id))];
  const { accountsPerMessageMax } = invalidationTiming;
  return Array.from({ length: Math.ceil(accounts.length / accountsPerMessageMax) }, (_, at) => {
    const those = new Set(accounts.slice(at * accountsPerMessageMax, (at + 1) * accountsPerMessageMax));
    return targets.filter(({ account_id }) => those.has(account_id));
  }).flatMap((part) => cacheNames.map((cache) => JSON.stringify({ cache, targets: part })));
}

/** Whether paths name repositories, or everything of their accounts. Paths never name more than the accounts of their targets. */
export type PathScope = 'repositories' | 'accounts';

export type PathsOf = (targets: readonly InvalidationTarget[], scope: PathScope) => readonly string[];

/** How many of the paths count against `wildcardsMax`. */
export function countWildcards(paths: readonly string[]): number {
  return paths.filter((path) => path.endsWith('*')).length;
}

/**
 * The paths of the pages that show one of the targets, with whatever query: a path without `*` means the one without a
 * query alone. The lists that show repositories of everybody are among them.
 */
export const pageInvalidationPaths: PathsOf = (targets, scope) => {
  const paths = new Set<string>();
  for (const { account_id, repository_id } of targets) {
    paths.add(`/${account_id}`);
    paths.add(`/${account_id}?*`);
    paths.add(isWhole(repository_id, scope) ? `/${account_id}/*` : `/${account_id}/${repository_id}*`);
  }
  return [...paths, '/', '/-/search*', '/sitemap*'];
};

/**
 * The paths of the objects. Below a virtual-host name an account is no part of the path: its repositories are named there
 * one by one, and where a whole account is meant, answers below its host age out.
 */
export function invalidationPaths(hasVirtualHosts: boolean): PathsOf {
  return (targets, scope) => {
    const paths = new Set<string>();
    for (const { account_id, repository_id } of targets) {
      if (isWhole(repository_id, scope)) paths.add(`/${account_id}/*`);
      else {
        paths.add(`/${account_id}/${repository_id}/*`);
        if (hasVirtualHosts) paths.add(`/${repository_id}/*`);
      }
    }
    return [...paths];
  };
}

function isWhole(repositoryId: string | undefined, scope: PathScope): boolean {
  return repositoryId === undefined || scope === 'accounts';
}
