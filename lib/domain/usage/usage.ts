import * as z from 'zod';
import { invalidInput } from '../errors.ts';
import { limits } from '../limits.ts';
import { clientKinds } from './client-kinds.ts';
import { dayOf, isDay, laterPeriod, monthOf } from './periods.ts';

const count = z.int().min(0);

/** The number of reads by one kind of client in one period. */
export const usageCountsSchema = z.object({
  /** Successful GET requests for files: status 200, 206, or 304. */
  requests: count,
  /** Reads of one file by one visitor. Requests with gaps of at most 30 minutes are one download. */
  downloads: count,
  /** The size of all responses, with their headers. */
  bytes: count,
  /**
   * The number of visitors: different pairs of IP address and User-Agent in a day. The number of a month is the sum of
   * its days.
   */
  visitors: count,
  /** The number of requests without double clicks. COUNTER calls them total requests. */
  total_requests: count,
  /**
   * The number of hours in which a visitor read the repository, summed over all visitors. COUNTER calls this unique
   * requests.
   */
  unique_requests: count,
});
export type UsageCounts = z.infer<typeof usageCountsSchema>;
export const usageFields = Object.keys(usageCountsSchema.shape) as (keyof UsageCounts)[];

/** The number of reads from one country, without robots. */
const countryUsageSchema = z.object({
  /** ISO 3166-1 alpha-2, `ZZ` if the country is unknown, or `other` for all countries with few visitors. */
  country: z.string(),
  downloads: count,
  visitors: count,
});

/** The number of reads of a file, without robots. */
export const fileUsageSchema = z.object({ path: z.string(), requests: count, downloads: count, bytes: count });

/** The usage of a repository, an account, or the whole service in a day (`2026-11-28`) or a month (`2026-11`). */
export const usageRecord = z.object({
  period: z.string(),
  /** True when the numbers are final, two days after the end of the period. */
  is_final: z.boolean(),
  clients: z.partialRecord(z.enum(clientKinds), usageCountsSchema),
  countries: z.array(countryUsageSchema),
  /** The most downloaded files of a repository. Empty for accounts and the service. */
  files: z.array(fileUsageSchema),
});
export type UsageRecord = z.infer<typeof usageRecord>;

/** A day or a month, in UTC. */
export const periodSchema = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/, 'must be a day (2026-11-28) or a month (2026-11)');

export const monthSchema = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month (2026-11)');

/** The usage of a period in responses. The sums include all clients except robots. */
export const shownPeriodSchema = usageRecord.omit({ files: true }).extend({
  period: periodSchema,
  ...usageCountsSchema.pick({ requests: true, downloads: true, bytes: true, visitors: true }).shape,
});
export type ShownPeriod = z.infer<typeof shownPeriodSchema>;

/**
 * Returns the periods that a request asks for, with defaults. Throws `invalid_input` if the first and the last period
 * do not fit together.
 */
export function periodsOf(
  { by, from, to }: { by: 'day' | 'month'; from?: string | undefined; to?: string | undefined },
  now: number,
): { by: 'day' | 'month'; from: string; to: string } {
  const today = dayOf(now);
  const last = to ?? (by === 'day' ? today : monthOf(today));
  const fitting = (period: string | undefined) => period === undefined || isDay(period) === (by === 'day');
  const faults = Object.entries({ from, to })
    .filter(([, period]) => !fitting(period))
    .map(([path]) => ({ path, message: `must be a ${by}, because "by" is "${by}"` }));
  if (faults.length > 0) throw invalidInput(faults);
  const first = from ?? laterPeriod(last, by === 'day' ? -29 : -11);
  if (first > last) throw invalidInput([{ path: 'from', message: 'must not be after "to"' }]);
  const earlierMax = limits.usagePeriodsMax - 1;
  if (first < laterPeriod(last, -earlierMax)) {
    throw invalidInput([{ path: 'from', message: `must be at most ${earlierMax} ${by}s before "to"` }]);
  }
  return { by, from: first, to: last };
}

export function showPeriod({ files: _, ...record }: UsageRecord): ShownPeriod {
  return { ...record, ...sumOfClients(record) };
}

/** Adds the counts of all clients except robots. */
function sumOfClients({ clients }: Pick<UsageRecord, 'clients'>) {
  const sums = { requests: 0, downloads: 0, bytes: 0, visitors: 0 };
  for (const kind of clientKinds) {
    if (kind === 'robots') continue;
    for (const field of ['requests', 'downloads', 'bytes', 'visitors'] as const)
      sums[field] += clients[kind]?.[field] ?? 0;
  }
  return sums;
}

/**
 * The subject of a usage record: a repository, an account, or the whole service. A repository keeps its uid after
 * transfers.
 */
export type UsageScope = { repository_uid: string } | { account_id: string } | 'service';

export interface RepositoryName {
  account_id: string;
  repository_id: string;
}

/** A repository whose reads are counted. */
export interface CountedRepository {
  /** The repository's ID, which stays the same after transfers. */
  uid: string;
  /** The account that owns the repository now. */
  owner: string;
  /** The creation time of the repository. Earlier reads belong to another repository that had the same name. */
  created_at: string;
}
