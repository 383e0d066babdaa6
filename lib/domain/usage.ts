import * as z from 'zod';

/**
 * Kinds of clients, by the User-Agent of a request. A visitor has one kind, because the User-Agent is a part of what
 * identifies a visitor.
 */
export const clientKinds = ['browsers', 'tools', 'ci', 'robots'] as const;
export type ClientKind = (typeof clientKinds)[number];

const count = z.int().min(0);

/** The reads by one kind of client in one period. */
export const usageCountsSchema = z.object({
  /** Successful GET requests for files: status 200, 206, or 304. */
  requests: count,
  /** Reads of one file by one visitor. Requests with gaps of at most 30 minutes are one download. */
  downloads: count,
  /** Bytes of all responses, with their headers. */
  bytes: count,
  /** Different pairs of IP address and User-Agent in a day. In a month, the sum of its days. */
  visitors: count,
  /** Requests without double clicks: COUNTER's total requests. */
  total_requests: count,
  /** Hours in which a visitor read the repository, summed over visitors: COUNTER's unique requests. */
  unique_requests: count,
});
export type UsageCounts = z.infer<typeof usageCountsSchema>;
export const usageFields = Object.keys(usageCountsSchema.shape) as (keyof UsageCounts)[];

/** The reads from one country, without robots. */
export const countryUsageSchema = z.object({
  /** ISO 3166-1 alpha-2, `ZZ` if the country is unknown, or `other` for all countries with few visitors. */
  country: z.string(),
  downloads: count,
  visitors: count,
});

/** The reads of a file, without robots. */
export const fileUsageSchema = z.object({ path: z.string(), requests: count, downloads: count, bytes: count });
export type FileUsage = z.infer<typeof fileUsageSchema>;

/** The usage of a repository, an account, or the whole service in a day (`2026-11-28`) or a month (`2026-11`). */
export const usageRecord = z.object({
  period: z.string(),
  /** True when the numbers do not change any more, two days after the end of the period. */
  is_final: z.boolean(),
  clients: z.partialRecord(z.enum(clientKinds), usageCountsSchema),
  countries: z.array(countryUsageSchema),
  /** The most downloaded files of a repository. Empty for accounts and the service. */
  files: z.array(fileUsageSchema),
});
export type UsageRecord = z.infer<typeof usageRecord>;

/** What a usage record is about. The uid of a repository stays the same after transfers. */
export type UsageScope = { repository_uid: string } | { account_id: string } | 'service';
