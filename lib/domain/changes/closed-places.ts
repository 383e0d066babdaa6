import type { TableChange } from './table-changes.ts';

/** What became closed to anyone, or became other data under the same name: a repository, or all that an account has. */
export interface ClosedPlace {
  account_id: string;
  repository_id?: string | undefined;
}

/** Tells whoever makes caches forget, at once and once more when no instance decides by the former facts any longer. */
export interface ClosingAnnouncer {
  announce(places: readonly ClosedPlace[]): Promise<void>;
}

/** What keeps answers: the data proxy those about objects, the site its pages. Each is told by a message of its own. */
export const answerKeepers = ['objects', 'pages'] as const;

export type AnswerKeeperName = (typeof answerKeepers)[number];

/** What keeps answers and can be told to forget those below paths. */
export interface AnswerKeeper {
  countInvalidations(): Promise<InvalidationCounts>;
  invalidate(paths: readonly string[]): Promise<void>;
}

export interface InvalidationCounts {
  /** Not done yet. */
  inProgress: number;
  /** Begun within the last hour, done or not. */
  inLastHour: number;
}

export const invalidationTiming = {
  gatherSeconds: 10,
  /** Instances look into the feed every ten seconds: until then one that had just looked may bring back what was forgotten. */
  againAfterSeconds: 30,
  /**
   * An answer that storage gives later is not kept: it would come into a cache that was told for the last time. Of the thirty
   * seconds ten are those in which an instance may still decide by the former facts, and five are to spare.
   */
  answeredWithinSeconds: 15,
  /**
   * CloudFront has 15 paths with `*` under way at most for a distribution, and refuses all of a request that goes beyond:
   * this many requests, with no more of them each ("Concurrent invalidation request maximum").
   */
  inProgressMax: 3,
  wildcardsMax: 5,
  /** Beyond these, or those, everything is forgotten. */
  pathsMax: 50,
  /**
   * Each path costs half a cent, and whoever opens and closes a repository all day long chooses how many there are. Closing
   * is never refused; after this many invalidations of a distribution in an hour, each is the one path of everything.
   */
  exactPerHourMax: 20,
} as const;

type Item = TableChange['after'];

/** What a change closed of what anyone could read before it. */
export function closedPlaceOf({ before, after }: TableChange): ClosedPlace | undefined {
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
  return repository !== undefined && repository['data_mode'] === 'open' && repository['disabled'] !== true;
}

function isSameData(before: Item, after: Item): boolean {
  return ['uid', 'data'].every((name) => JSON.stringify(before?.[name]) === JSON.stringify(after?.[name]));
}

/**
 * The paths of the site's pages that show one of these places, with whatever query: a path without `*` means the one
 * without a query alone.
 */
export function pageInvalidationPaths(places: readonly ClosedPlace[]): readonly string[] {
  const paths = new Set<string>();
  for (const { account_id, repository_id } of places) {
    paths.add(`/${account_id}`);
    paths.add(`/${account_id}?*`);
    paths.add(repository_id === undefined ? `/${account_id}/*` : `/${account_id}/${repository_id}*`);
  }
  for (const path of ['/', '/-/search*', '/sitemap*']) paths.add(path);
  return atMost(paths);
}

function atMost(paths: ReadonlySet<string>): readonly string[] {
  const { pathsMax, wildcardsMax } = invalidationTiming;
  const wildcards = [...paths].filter((path) => path.endsWith('*'));
  return paths.has('/*') || paths.size > pathsMax || wildcards.length > wildcardsMax ? ['/*'] : [...paths];
}

/**
 * The paths below which answers about these places are kept. Below a virtual-host name an account is no part of the path:
 * of a whole account everything is forgotten then.
 */
export function invalidationPaths(places: readonly ClosedPlace[], hasVirtualHosts: boolean): readonly string[] {
  const paths = new Set<string>();
  for (const { account_id, repository_id } of places) {
    if (repository_id === undefined) paths.add(hasVirtualHosts ? '/*' : `/${account_id}/*`);
    else {
      paths.add(`/${account_id}/${repository_id}/*`);
      if (hasVirtualHosts) paths.add(`/${repository_id}/*`);
    }
  }
  return atMost(paths);
}
