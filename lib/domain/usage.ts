/**
 * Kinds of clients, by the User-Agent of a request. A visitor has one kind, because the User-Agent is a part of what
 * identifies a visitor.
 */
export const clientKinds = ['browsers', 'tools', 'ci', 'robots'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** The reads of a repository by one kind of client in one day. */
export interface UsageCounts {
  /** Successful GET requests for files: status 200, 206, or 304. */
  requests: number;
  /** Reads of one file by one visitor. Requests with gaps of at most 30 minutes are one download. */
  downloads: number;
  /** Bytes of all responses, with their headers. */
  bytes: number;
  /** Different pairs of IP address and User-Agent. */
  visitors: number;
  /** Requests without double clicks: COUNTER's total requests. */
  total_requests: number;
  /** Hours in which a visitor read the repository, summed over visitors: COUNTER's unique requests. */
  unique_requests: number;
}

export const usageFields = [
  'requests',
  'downloads',
  'bytes',
  'visitors',
  'total_requests',
  'unique_requests',
] as const satisfies readonly (keyof UsageCounts)[];

/** The reads of a repository from one country, without robots. */
export interface CountryUsage {
  /** ISO 3166-1 alpha-2, or `ZZ` if CloudFront does not know the country. */
  country: string;
  downloads: number;
  visitors: number;
}

/** The reads of a file, without robots. */
export interface FileUsage {
  path: string;
  requests: number;
  downloads: number;
  bytes: number;
}

/** The usage of one repository in one day. */
export interface DayUsage {
  clients: Partial<Record<ClientKind, UsageCounts>>;
  countries: CountryUsage[];
  /** The most downloaded files. */
  files: FileUsage[];
}
