import type { ClientKind } from '../../../lib/domain/usage/client-kinds.ts';
import type { LogLine } from '../../../lib/domain/usage/log-records.ts';
import type { UsageCounts } from '../../../lib/domain/usage/usage.ts';

/** The counts that the job must find, by day, repository, and kind of client. */
export type Truth = Map<string, UsageCounts>;

export const truthKey = (day: string, repository: string, kind: ClientKind) => `${day} ${repository} ${kind}`;

const dayMs = 86_400_000;
const agents: Readonly<Record<ClientKind, readonly string[]>> = {
  browsers: [
    'Mozilla/5.0%20(X11;%20Linux%20x86_64)%20AppleWebKit/537.36%20(KHTML,%20like%20Gecko)%20Chrome/146.0.0.0%20Safari/537.36',
    'Mozilla/5.0%20(Macintosh;%20Intel%20Mac%20OS%20X%2015.7;%20rv:148.0)%20Gecko/20100101%20Firefox/148.0',
  ],
  tools: ['aws-cli/2.31.0%20md/awscrt#0.27', 'duckdb/v1.5.6(linux_amd64)', 'GDAL/3.12', '-'],
  ci: ['aws-sdk-js/3.1169.0%20exec-env/configure-aws-credentials-for-github-actions', 'gitlab-runner/18.6'],
  robots: ['Mozilla/5.0%20(compatible;%20Googlebot/2.1;%20+http://www.google.com/bot.html)', 'CCBot/2.0'],
};

/** One read of a file: the time in seconds after the beginning of the visit, and the status. */
type Read = readonly [second: number, status?: '200' | '206' | '304'];

/** The reads of one file by one visitor, and the downloads and requests that the job must count for them. */
interface Visit {
  name: string;
  reads: readonly Read[];
  downloads: number;
  total_requests: number;
}

const minute = 60;

/** Visits of made-up visitors that end within the hour in which they begin. */
const shortVisits: readonly Visit[] = [
  { name: 'one read of a whole file', reads: [[0, '200']], downloads: 1, total_requests: 1 },
  {
    name: 'a double click',
    reads: [
      [0, '200'],
      [12, '200'],
    ],
    downloads: 1,
    total_requests: 1,
  },
  {
    name: 'a retry after a minute',
    reads: [
      [0, '200'],
      [minute, '200'],
    ],
    downloads: 1,
    total_requests: 2,
  },
  {
    name: 'a browser with parallel ranges',
    reads: [[0], [0], [0], [1], [1], [2]],
    downloads: 1,
    total_requests: 1,
  },
  {
    name: 'GDAL, which reads the header and then windows of a raster',
    reads: [[0], [1], [9], [50], [51], [20 * minute], [20 * minute + 31]],
    downloads: 1,
    total_requests: 4,
  },
  {
    name: 'a revalidation',
    reads: [
      [0, '200'],
      [5 * minute, '304'],
    ],
    downloads: 1,
    total_requests: 2,
  },
  { name: 'a gap of exactly 30 minutes', reads: [[0], [30 * minute]], downloads: 1, total_requests: 2 },
  { name: 'a gap of 30 minutes and a second', reads: [[0], [30 * minute + 1]], downloads: 2, total_requests: 2 },
  { name: 'a gap of exactly 30 seconds', reads: [[0], [30]], downloads: 1, total_requests: 1 },
  { name: 'a gap of 31 seconds', reads: [[0], [31]], downloads: 1, total_requests: 2 },
];

/** Creates lines of made-up visitors, whose true counts are known without counting lines. */
export function makeUpVisitors(
  random: () => number,
  { firstDay, days, visitors, repositories }: MadeUpWorld,
): { lines: LogLine[]; truth: Truth } {
  const lines: LogLine[] = [];
  const truth: Truth = new Map();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const kinds = Object.keys(agents) as ClientKind[];
  for (let index = 0; index < visitors; index += 1) {
    const kind = pick(kinds);
    const visitor = { ip: addressOf(index), agent: pick(agents[kind]), country: pick(['DE', 'FR', 'JP', 'BR', '-']) };
    const repository = pick(repositories);
    const day = Math.floor(random() * days);
    const visit = pick(shortVisits);
    const files = 1 + Math.floor(random() * 3);
    // Every visit begins at a full hour, so that it stays within one hour.
    const hour = Math.floor(random() * 24);
    for (let file = 0; file < files; file += 1) {
      for (const [second, status = '206'] of visit.reads) {
        const at = day * dayMs + (hour * 3600 + second) * 1000;
        const bytes = 1 + Math.floor(random() * 1e6);
        lines.push(line({ ...visitor, repository, path: `data/part-${file}.parquet`, at, status, bytes, random }));
        count(repository, day, kind, { requests: 1, bytes });
      }
      count(repository, day, kind, { downloads: visit.downloads, total_requests: visit.total_requests });
    }
    count(repository, day, kind, { visitors: 1, unique_requests: 1 });
    for (const uncounted of notReads(random)) {
      lines.push({
        ...line({ ...visitor, repository, path: 'data/a', at: day * dayMs, status: '200', bytes: 9, random }),
        ...uncounted,
      });
    }
  }
  return { lines, truth };

  function count(repository: string, day: number, kind: ClientKind, counts: Partial<UsageCounts>) {
    const key = truthKey(new Date(Date.parse(firstDay) + day * dayMs).toISOString().slice(0, 10), repository, kind);
    const sums = truth.get(key) ?? {
      requests: 0,
      downloads: 0,
      bytes: 0,
      visitors: 0,
      total_requests: 0,
      unique_requests: 0,
    };
    for (const [name, value] of Object.entries(counts)) sums[name as keyof UsageCounts] += value;
    truth.set(key, sums);
  }

  function line(from: ReadOf): LogLine {
    const time = new Date(Date.parse(firstDay) + from.at).toISOString();
    return logLine({ ...from, date: time.slice(0, 10), time: time.slice(11, 19) });
  }
}

export interface MadeUpWorld {
  /** The first day of the log, such as `2026-11-30`. */
  firstDay: string;
  days: number;
  visitors: number;
  /** Names such as `tides/gauges`. */
  repositories: readonly string[];
}

interface ReadOf {
  ip: string;
  agent: string;
  country: string;
  repository: string;
  path: string;
  /** Milliseconds after the beginning of the first day of the log. */
  at: number;
  status: string;
  bytes: number;
  random: () => number;
}

/** Returns the log line of one request. */
export function logLine(from: Omit<ReadOf, 'at'> & { date: string; time: string }): LogLine {
  return {
    date: from.date,
    time: from.time,
    x_edge_location: 'FRA56-P1',
    sc_bytes: String(from.bytes),
    c_ip: from.ip,
    cs_method: 'GET',
    x_host_header: 'data.example',
    cs_uri_stem: `/${from.repository}/${from.path}`,
    sc_status: from.status,
    cs_user_agent: from.agent,
    x_edge_result_type: 'Hit',
    x_edge_request_id: `${from.random()}${from.random()}`,
    time_taken: '0.012',
    sc_range_start: '-',
    sc_range_end: '-',
    c_country: from.country,
  };
}

/** Log lines of requests that read no file. */
function notReads(random: () => number): Partial<LogLine>[] {
  const all: Partial<LogLine>[] = [
    { cs_method: 'HEAD' },
    { cs_method: 'PUT' },
    { sc_status: '403' },
    { sc_status: '404' },
    { sc_status: '416' },
    { sc_status: '503' },
    { cs_uri_stem: '/tides' },
    { cs_uri_stem: '/tides/gauges' },
    { cs_uri_stem: '/tides/gauges/' },
    { cs_uri_stem: '/tides/no-such-repository/data/a' },
    { cs_uri_stem: '/' },
  ];
  return random() < 0.5 ? [] : [all[Math.floor(random() * all.length)] as Partial<LogLine>];
}

function addressOf(index: number): string {
  return `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
}
