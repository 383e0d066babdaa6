import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { limits } from '../domain/limits.ts';
import { type Clock, dayMs } from '../domain/time.ts';
import type { LogLine } from '../domain/usage/log-records.ts';
import { dayOf } from '../domain/usage/periods.ts';
import type { UsageStore } from '../store/usage.ts';
import type { UsageDatabase } from '../usage/database.ts';
import { folderFiles } from '../usage/folder-files.ts';
import { writeLogFile } from '../usage/log-files.ts';

/**
 * The maximum number of lines that wait for the next run of the access log. Further lines are dropped, so that many
 * requests cannot fill the memory.
 */
const linesMax = 200_000;

/**
 * The access log of the local edge, in the format of CloudFront's log. Its files are in a folder instead of a bucket.
 * The usage job counts their lines as in a deployment.
 */
export class LocalAccessLog {
  #lines: LogLine[] = [];
  readonly #folder: string;
  readonly #isTemporary: boolean;
  readonly #store: UsageStore;
  readonly #clock: Clock;

  /** `dataDirectory` is undefined if the local service stores nothing between starts. */
  constructor(dataDirectory: string | undefined, store: UsageStore, clock: Clock) {
    this.#folder = path.join(dataDirectory ?? path.join(tmpdir(), `sluice-usage-${randomUUID()}`), 'usage');
    this.#isTemporary = dataDirectory === undefined;
    this.#store = store;
    this.#clock = clock;
  }

  add(line: LogLine): void {
    if (this.#lines.length < linesMax) this.#lines.push(line);
  }

  /** Writes the log lines since the last run to a file, and counts the days whose files changed. */
  async count(): Promise<void> {
    const lines = this.#lines;
    this.#lines = [];
    const directory = path.join(this.#folder, 'run');
    await mkdir(directory, { recursive: true });
    try {
      if (lines.length > 0) await this.#write(lines, directory);
      const { countUsage } = await import('../usage/run-usage.ts');
      await countUsage({
        files: folderFiles(this.#folder),
        store: this.#store,
        findRepositories: (names) => this.#store.findRepositories(names),
        openDatabase: () => openDatabase(directory),
        directory,
        clock: this.#clock,
        virtualHostBase: 'localhost',
        shardBytesMax: Number.POSITIVE_INFINITY,
      });
      await this.#deleteOld();
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /**
   * Writes the log lines that are not counted yet, so that the next start counts them. Without a data folder, deletes
   * all log files.
   */
  async close(): Promise<void> {
    if (this.#isTemporary) await rm(path.dirname(this.#folder), { recursive: true, force: true });
    else if (this.#lines.length > 0) await this.#write(this.#lines, this.#folder);
  }

  async #write(lines: readonly LogLine[], directory: string): Promise<void> {
    const database = await openDatabase(directory);
    try {
      for (const [day, ofDay] of Map.groupBy(lines, ({ date }) => date)) {
        const folder = path.join(this.#folder, 'logs', day);
        await mkdir(folder, { recursive: true });
        await writeLogFile(database, path.join(folder, `${this.#clock()}.parquet`), ofDay);
      }
    } finally {
      database.close();
    }
  }

  async #deleteOld(): Promise<void> {
    const retention = { logs: limits.usageLogRetentionDays, days: limits.usageCountRetentionDays };
    for (const [name, retainedDays] of Object.entries(retention)) {
      const oldest = dayOf(this.#clock() - retainedDays * dayMs);
      for (const day of await readdir(path.join(this.#folder, name)).catch(() => [])) {
        if (day < oldest) await rm(path.join(this.#folder, name, day), { recursive: true });
      }
    }
  }
}

/** Opens a database. Loads DuckDB only at this call, because loading takes a fifth of a second. */
async function openDatabase(directory: string): Promise<UsageDatabase> {
  const { openUsageDatabase } = await import('../usage/database.ts');
  return openUsageDatabase({ directory, memoryMb: 256, threads: 1 });
}
