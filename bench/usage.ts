import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { limits } from '../lib/domain/limits.ts';
import { dayMs } from '../lib/domain/time.ts';
import { openUsageDatabase, type UsageDatabase } from '../lib/usage/database.ts';
import { folderFiles } from '../lib/usage/folder-files.ts';
import { countUsage } from '../lib/usage/run-usage.ts';
import { text } from '../lib/usage/sql.ts';
import { type Child, childArgument, runAsChild, startChild } from './child-process.ts';
import { goal, printTable } from './report.ts';

const day = '2026-11-28';
const millions = [1, 10, 50] as const;
const linesPerSecond = 400_000;
const memoryMebibytesMax = 2048;
/** Maximum number of lines in a log file, as in CloudFront's log files. */
const linesPerFile = 1_000_000;

/**
 * Returns SQL for the log lines of a day. They read 200 repositories with 5,000 files, of which a few are much more
 * popular. A visitor sends about 60 requests, most of them for ranges of one file.
 */
const linesSql = (from: number, count: number) => `SELECT
    '${day}' AS "date", strftime(TIMESTAMP '${day}' + to_seconds((line * 7919) % 86400), '%H:%M:%S') AS "time",
    'FRA' AS x_edge_location, (1000 + line % 900000)::VARCHAR AS sc_bytes,
    '10.' || (visitor % 251) || '.' || (visitor // 251 % 251) || '.' || (visitor // 63001) AS c_ip,
    'GET' AS cs_method, 'data.example' AS x_host_header,
    '/account-' || (file % 40) || '/repository-' || (file % 200) || '/year=' || (file % 30) || '/part-' || file || '.parquet' AS cs_uri_stem,
    CASE WHEN line % 10 < 8 THEN '206' ELSE '200' END AS sc_status,
    (['DuckDB/v1.4.1(linux_amd64)', 'python-requests/2.32', 'Mozilla/5.0%20(X11)%20Gecko/20100101', 'GDAL/3.10',
      'Googlebot/2.1'])[(visitor % 5)::BIGINT + 1] AS cs_user_agent,
    'Hit' AS x_edge_result_type, md5(line::VARCHAR) AS x_edge_request_id, '0.013' AS time_taken,
    (line % 1000 * 4096)::VARCHAR AS sc_range_start, (line % 1000 * 4096 + 4095)::VARCHAR AS sc_range_end,
    (['DE', 'US', 'FR', 'JP', 'BR'])[(visitor % 5)::BIGINT + 1] AS c_country
  FROM (SELECT range AS line, hash(range // 60) % 400000 AS visitor, (hash(range // 20) % 70)::BIGINT ** 2 AS file
    FROM range(${from}, ${from + count}))`;

/**
 * Runs the usage job on the log files in a folder, with the limits of a deployment. Returns the seconds of CPU time.
 */
async function countFolder(folder: string): Promise<number> {
  const directory = path.join(folder, 'run');
  await mkdir(directory);
  const startedAt = process.cpuUsage();
  await countUsage({
    files: folderFiles(folder),
    store: { put: async () => undefined },
    findRepositories: async (names) =>
      names.map(({ account_id, repository_id }) => ({
        ...{ uid: `${account_id}/${repository_id}`, owner: account_id, created_at: '2026-01-01T00:00:00.000Z' },
      })),
    openDatabase: () => openUsageDatabase({ directory, memoryMb: limits.usageDatabaseMb, threads: 1 }),
    directory,
    clock: () => Date.parse(day) + dayMs,
    virtualHostBase: undefined,
    shardBytesMax: limits.usageShardBytesMax,
  });
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1e6;
}

async function writeLines(database: UsageDatabase, directory: string, count: number): Promise<string[]> {
  const files: string[] = [];
  await mkdir(path.join(directory, 'logs', day), { recursive: true });
  for (let from = 0; from < count; from += linesPerFile) {
    const file = path.join(directory, 'logs', day, `${from}.parquet`);
    await database.connection.run(
      `COPY (${linesSql(from, Math.min(linesPerFile, count - from))}) TO ${text(file)} (FORMAT parquet)`,
    );
    files.push(file);
  }
  return files;
}

/**
 * Counts the usage of days with 1, 10, and 50 million log lines on one thread. Reports CPU time, because other
 * processes affect it little.
 */
export async function benchUsage(): Promise<void> {
  const results: string[][] = [];
  let earlier: number | undefined;
  for (const million of millions) {
    const lines = million * 1_000_000;
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-usage-'));
    try {
      const database = await openUsageDatabase({ directory: folder, memoryMb: 1024, threads: 2 });
      const files = await writeLines(database, folder, lines);
      database.close();
      const sizes = await Promise.all(files.map((file) => stat(file)));
      const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
      const child: Child<{ seconds: number }> = await startChild(new URL(import.meta.url), folder);
      const { peakBytes } = await child.usage();
      await child.stop();
      const perSecond = lines / child.started.seconds;
      const mebibytes = Math.round(peakBytes / 2 ** 20);
      results.push([
        `${million} million`,
        String(Math.max(1, Math.ceil(bytes / limits.usageShardBytesMax))),
        child.started.seconds.toFixed(1),
        Math.round(perSecond).toLocaleString('en'),
        goal(perSecond, '>', linesPerSecond),
        String(mebibytes),
        goal(mebibytes, '<', memoryMebibytesMax),
        (bytes / lines).toFixed(0),
        earlier === undefined ? '' : (perSecond / earlier).toFixed(2),
      ]);
      earlier ??= perSecond;
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  printTable(
    'A day of usage on one thread',
    [
      'lines',
      'shards',
      'CPU seconds',
      'lines a second',
      'goal',
      'peak MiB',
      'goal',
      'bytes a line',
      'speed, as against 1 million',
    ],
    results,
  );
}

if (import.meta.main) {
  const seconds = await countFolder(childArgument<string>());
  runAsChild({ seconds }, async () => undefined);
}
