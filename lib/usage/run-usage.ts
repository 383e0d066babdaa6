import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import * as z from 'zod';
import { limits } from '../domain/limits.ts';
import { type Clock, dayMs } from '../domain/time.ts';
import { dayOf, lastDayOf, monthOf } from '../domain/usage/periods.ts';
import type { UsageRecord, UsageScope } from '../domain/usage/usage.ts';
import {
  type CountTable,
  copyShard,
  countDay,
  countTables,
  type FindRepositories,
  linesSql,
  type Shard,
} from './count-day.ts';
import type { UsageDatabase } from './database.ts';
import { rows } from './sql.ts';
import { addCounts, type CountFiles, hideSmallCountries, summarize, writeCounts } from './summaries.ts';

/**
 * The files that the usage job reads and writes. In a deployment they are in a bucket, and on one machine in a folder.
 * A name is a path with `/`.
 */
export interface UsageFiles {
  /** Lists the log files that can contain lines of a day. */
  listLogs(day: string): Promise<LogFile[]>;
  /** Returns the path of a local copy of a file. Returns undefined if the file does not exist. */
  open(name: string): Promise<string | undefined>;
  /** Deletes the local copy that `open` created, if it created one. */
  release(localPath: string): Promise<void>;
  save(name: string, localPath: string): Promise<void>;
}

export interface LogFile {
  name: string;
  bytes: number;
}

export interface UsageServices {
  files: UsageFiles;
  store: { put(scope: UsageScope, record: UsageRecord, now: number): Promise<void> };
  findRepositories: FindRepositories;
  openDatabase(): Promise<UsageDatabase>;
  /** A writable folder for the temporary files of one run. */
  directory: string;
  clock: Clock;
  virtualHostBase: string | undefined;
  /** A day whose log files are larger than this in total is counted in several parts (shards). */
  shardBytesMax: number;
}

/** The progress of counting the usage of a day or a month. */
const stateSchema = z.object({
  /** The log files whose lines are counted. If `is_counted` is false, the job has not finished them. */
  logs: z.array(z.string()).default([]),
  /** False while the usage job still counts some shards of the files in `logs`. */
  is_counted: z.boolean(),
  is_final: z.boolean(),
  /** The number of lines that arrived after the counts of the day had become final. */
  dropped_lines: z.int().default(0),
  /** A digest of each stored usage record, by its scope. The job stores only records whose digest changed. */
  records: z.record(z.string(), z.string()).default({}),
});
type State = z.infer<typeof stateSchema>;

interface Run extends UsageServices {
  /** Opens the database at the first call, because most runs find no new log file and need no database. */
  database(): Promise<DuckDBConnection>;
  now: number;
  endsAt: number;
}

/**
 * Counts the reads of each day whose log files changed, and adds up the months that contain these days. A large day is
 * counted in several parts (shards). If a run reaches its time limit before the last shard, the next run continues.
 * Only one run may work at a time.
 */
export async function countUsage(services: UsageServices): Promise<void> {
  const now = services.clock();
  const endsAt = now + limits.usageRunSeconds * 1000;
  let opened: Promise<UsageDatabase> | undefined;
  const database = async () => {
    opened ??= services.openDatabase();
    return (await opened).connection;
  };
  const run: Run = { ...services, database, now, endsAt };
  try {
    const months = new Set<string>();
    for (const day of daysBefore(now, limits.usageLogRetentionDays)) {
      if (await updateDay(run, day)) months.add(monthOf(day));
    }
    for (const month of months) await updateMonth(run, month);
  } finally {
    (await opened)?.close();
  }
}

/**
 * Counts the usage of a day if its log files changed, or if its counts became final. Returns true if the day has new
 * counts.
 */
async function updateDay(run: Run, day: string): Promise<boolean> {
  const state = await readState(run, day);
  const listed = await run.files.listLogs(day);
  if (state?.is_final && state.is_counted) {
    await countDropped(run, day, state, listed);
    return false;
  }
  const isFinal = isFinalAt(day, run.now);
  // An interrupted usage job first finishes the log files with which it began. If it added new files each time, they
  // could delay it forever.
  const isResumed = state !== undefined && !state.is_counted;
  const logs = isResumed ? listed.filter(({ name }) => state.logs.includes(name)) : listed;
  const names = namesOf(logs);
  const isUnchanged = state?.is_counted === true && names.join('\n') === state.logs.join('\n');
  if (names.length === 0 || (isUnchanged && !isFinal)) return false;
  const counting = { ...(state ?? emptyState), logs: names, is_counted: false, is_final: isFinal };
  if (!isResumed) await writeState(run, day, counting);
  const shards = await countShards(run, day, logs);
  if (shards === undefined) return false;
  const database = await run.database();
  await addCounts(database, shards);
  await hideSmallCountries(database);
  const counts = await localCounts(run, day);
  await writeCounts(database, counts);
  await saveCounts(run, `days/${day}`, counts);
  const records = await storeRecords(run, day, counting);
  await writeState(run, day, { ...counting, is_counted: true, records });
  return true;
}

/** Counts the shards of a day that earlier runs did not count. Returns undefined if the time of the run ended first. */
async function countShards(run: Run, day: string, logs: readonly LogFile[]): Promise<CountFiles[] | undefined> {
  const bytes = logs.reduce((sum, log) => sum + log.bytes, 0);
  const of = Math.max(1, Math.ceil(bytes / run.shardBytesMax));
  const names = namesOf(logs);
  const digest = hash('sha256', names.join('\n'), 'hex').slice(0, 16);
  const shards: CountFiles[] = [];
  for (let index = 0; index < of; index += 1) {
    const name = `shards/${day}/${digest}/${index}-of-${of}`;
    const counted = await openCounts(run, name);
    if (counted !== undefined) {
      shards.push(counted);
      continue;
    }
    if (run.clock() >= run.endsAt) return undefined;
    const files = await openLines(run, names, { index, of });
    const { virtualHostBase, findRepositories } = run;
    const database = await run.database();
    await countDay(database, { day, files, virtualHostBase, findRepositories });
    await releaseAll(run, files);
    const counts = await localCounts(run, `${day}-${index}`);
    await writeCounts(database, counts);
    if (of > 1) await saveCounts(run, name, counts);
    shards.push(counts);
  }
  return shards;
}

/**
 * Adds the lines of late files to the number of dropped lines. A late file arrived after the counts of the day were
 * final.
 */
async function countDropped(run: Run, day: string, state: State, listed: readonly LogFile[]): Promise<void> {
  const late = listed.map(({ name }) => name).filter((name) => !state.logs.includes(name));
  if (late.length === 0) return;
  const files = await openAll(run, late);
  const [counted] = await rows(await run.database(), `SELECT count(*) AS lines ${linesSql({ day, files })}`);
  await releaseAll(run, files);
  const dropped_lines = state.dropped_lines + Number(counted?.['lines']);
  await writeState(run, day, { ...state, dropped_lines, logs: [...state.logs, ...late] });
}

/** Adds up the counts of all days of a month. */
async function updateMonth(run: Run, month: string): Promise<void> {
  const days: CountFiles[] = [];
  for (const day of daysOf(month)) {
    const counts = await openCounts(run, `days/${day}`);
    if (counts !== undefined) days.push(counts);
  }
  await addCounts(await run.database(), days);
  const state = { ...((await readState(run, month)) ?? emptyState), is_final: isFinalAt(lastDayOf(month), run.now) };
  const records = await storeRecords(run, month, state);
  await writeState(run, month, { ...state, is_counted: true, records });
}

/**
 * Stores the usage records of a period that differ from those that an earlier run stored. Returns the digests of all
 * records.
 */
async function storeRecords(run: Run, period: string, state: State): Promise<State['records']> {
  const digests: State['records'] = {};
  let waiting: Promise<void>[] = [];
  for await (const { scope, record } of summarize(await run.database(), period, state.is_final)) {
    const name = JSON.stringify(scope);
    const digest = hash('sha256', JSON.stringify(record), 'base64url').slice(0, 22);
    digests[name] = digest;
    if (state.records[name] === digest) continue;
    waiting.push(run.store.put(scope, record, run.now));
    if (waiting.length === limits.usageWritesAtOnce) {
      await Promise.all(waiting);
      waiting = [];
    }
  }
  await Promise.all(waiting);
  return digests;
}

function namesOf(logs: readonly LogFile[]): string[] {
  return logs.map(({ name }) => name).sort();
}

const emptyState: State = { logs: [], is_counted: false, is_final: false, dropped_lines: 0, records: {} };

async function readState({ files }: Run, period: string): Promise<State | undefined> {
  const file = await files.open(`state/${period}.json`);
  return file === undefined ? undefined : stateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

async function writeState({ files, directory }: Run, period: string, state: State): Promise<void> {
  const file = path.join(directory, `state-${period}.json`);
  await writeFile(file, JSON.stringify(state));
  await files.save(`state/${period}.json`, file);
}

const tables = Object.keys(countTables) as CountTable[];

async function localCounts({ directory }: Run, name: string): Promise<CountFiles> {
  const folder = path.join(directory, `counts-${name}`);
  await mkdir(folder, { recursive: true });
  return Object.fromEntries(tables.map((table) => [table, path.join(folder, `${table}.parquet`)])) as CountFiles;
}

async function saveCounts({ files }: Run, name: string, counts: CountFiles): Promise<void> {
  for (const table of tables) await files.save(`${name}/${table}.parquet`, counts[table]);
}

async function openCounts({ files }: Run, name: string): Promise<CountFiles | undefined> {
  const opened: Partial<Record<CountTable, string>> = {};
  for (const table of tables) {
    const file = await files.open(`${name}/${table}.parquet`);
    if (file === undefined) return undefined;
    opened[table] = file;
  }
  return opened as CountFiles;
}

/**
 * Returns local files with the log lines of a shard. If a day has several shards, the disk holds only one shard and a
 * few log files at a time.
 */
async function openLines(run: Run, names: readonly string[], shard: Shard): Promise<string[]> {
  if (shard.of === 1) return openAll(run, names);
  const parts: string[] = [];
  for (const some of batchesOf(names)) {
    const files = await openAll(run, some);
    const part = path.join(run.directory, `shard-${parts.length}.parquet`);
    if (files.length > 0) {
      await copyShard(await run.database(), files, shard, part);
      parts.push(part);
    }
    await releaseAll(run, files);
  }
  return parts;
}

async function openAll({ files }: Run, names: readonly string[]): Promise<string[]> {
  const opened: (string | undefined)[] = [];
  for (const some of batchesOf(names)) opened.push(...(await Promise.all(some.map((name) => files.open(name)))));
  return opened.filter((file) => file !== undefined);
}

/** Divides names into groups of files that are fetched at the same time. */
function batchesOf(names: readonly string[]): string[][] {
  const batches = Map.groupBy(names, (_, at) => Math.floor(at / limits.usageFilesAtOnce));
  return [...batches.values()];
}

async function releaseAll({ files }: Run, opened: readonly string[]): Promise<void> {
  await Promise.all(opened.map((file) => files.release(file)));
}

function daysBefore(now: number, days: number): string[] {
  return Array.from({ length: days }, (_, at) => dayOf(now - (days - 1 - at) * dayMs));
}

function daysOf(month: string): string[] {
  const first = Date.parse(`${month}-01`);
  return Array.from({ length: 31 }, (_, at) => dayOf(first + at * dayMs)).filter((day) => day.startsWith(month));
}

/** A day is final two days after its end: CloudFront can deliver a line up to 24 hours late. */
function isFinalAt(day: string, now: number): boolean {
  return now >= Date.parse(day) + (1 + limits.usageFinalAfterDays) * dayMs;
}
