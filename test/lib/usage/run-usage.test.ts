import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { dayMs } from '../../../lib/domain/time.ts';
import type { LogLine } from '../../../lib/domain/usage/log-records.ts';
import type { UsageRecord, UsageScope } from '../../../lib/domain/usage/usage.ts';
import { UsageStore } from '../../../lib/store/usage.ts';
import { openUsageDatabase } from '../../../lib/usage/database.ts';
import { folderFiles } from '../../../lib/usage/folder-files.ts';
import { writeLogFile } from '../../../lib/usage/log-files.ts';
import { countUsage, type UsageServices } from '../../../lib/usage/run-usage.ts';
import { seededNumbers } from '../../service/seeded-random.ts';
import { openStore } from '../store/open-store.ts';
import { logLine, makeUpVisitors, truthKey } from './made-up-visitors.ts';

const random = seededNumbers('usage job');
const gauges: UsageScope = { repository_uid: 'tides/gauges' };
const plain = {
  ...{ date: '2026-12-01', time: '12:00:00', ip: '10.0.0.1', agent: 'curl/8', country: 'DE' },
  ...{ repository: 'tides/gauges', path: 'a', status: '200', bytes: 7, random },
};

let store: UsageStore;
let directory: string;
let now: number;
let stored: number;

beforeAll(async () => {
  store = new UsageStore((await openStore()).table);
});

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'usage-'));
  now = Date.parse('2026-12-01T13:00:00Z');
  stored = 0;
});

afterEach(() => rm(directory, { recursive: true }));

/** Runs the usage job once. Counts the writes to the store. */
async function run(more: Partial<UsageServices> = {}): Promise<number> {
  const before = stored;
  const work = await mkdtemp(path.join(directory, 'run-'));
  await countUsage({
    files: folderFiles(directory),
    store: {
      put: async (...put) => {
        stored += 1;
        await store.put(...put);
      },
    },
    findRepositories: async (names) =>
      names.map(({ account_id, repository_id }) => {
        const created_at = '2026-11-01T00:00:00.000Z';
        return { uid: `${account_id}/${repository_id}`, owner: account_id, created_at };
      }),
    openDatabase: () => openUsageDatabase({ directory: work, memoryMb: 256, threads: 1 }),
    directory: work,
    clock: () => now,
    virtualHostBase: undefined,
    shardBytesMax: 1e9,
    ...more,
  });
  return stored - before;
}

let delivered = 0;
/** Delivers a log file that contains the lines of one day. */
async function deliver(day: string, lines: readonly LogLine[]): Promise<void> {
  const folder = path.join(directory, 'logs', day);
  await mkdir(folder, { recursive: true });
  const database = await openUsageDatabase({ directory, memoryMb: 256, threads: 1 });
  delivered += 1;
  await writeLogFile(database, path.join(folder, `${delivered}.parquet`), lines);
  database.close();
}

const requestsOf = (record: UsageRecord | undefined) => record?.clients.tools?.requests;

describe('the numbers of a day', () => {
  it('are stored for the repository, its account, and the service', async () => {
    await deliver('2026-12-01', [logLine(plain), logLine({ ...plain, repository: 'tides/charts' })]);
    await run();
    const counts = { requests: 1, downloads: 1, bytes: 7, visitors: 1, total_requests: 1, unique_requests: 1 };
    expect(await store.find(gauges, '2026-12-01')).toEqual({
      period: '2026-12-01',
      is_final: false,
      clients: { tools: counts },
      countries: [{ country: 'other', downloads: 1, visitors: 1 }],
      files: [{ path: 'a', requests: 1, downloads: 1, bytes: 7 }],
    });
    const sums = {
      tools: { ...counts, requests: 2, downloads: 2, bytes: 14, visitors: 2, total_requests: 2, unique_requests: 2 },
    };
    expect(await store.find({ account_id: 'tides' }, '2026-12-01')).toMatchObject({ clients: sums, files: [] });
    expect(await store.find('service', '2026-12-01')).toMatchObject({ clients: sums, files: [] });
  });

  it('are replaced when a file arrives late, and not written again without a change', async () => {
    await deliver('2026-12-01', [logLine(plain)]);
    // Counts are stored for the repository, its account, and the service, each for a day and a month.
    expect(await run()).toBe(6);
    expect(await run()).toBe(0);
    await deliver('2026-12-01', [logLine({ ...plain, time: '12:59:00' })]);
    await run();
    expect(requestsOf(await store.find(gauges, '2026-12-01'))).toBe(2);
  });

  it('become final two days after the end of the day, and lines that arrive later are counted as dropped', async () => {
    await deliver('2026-12-01', [logLine(plain)]);
    await run();
    now = Date.parse('2026-12-04T00:00:00Z') - 1;
    await run();
    expect(await store.find(gauges, '2026-12-01')).toMatchObject({ is_final: false });
    now += 1;
    await run();
    expect(await store.find(gauges, '2026-12-01')).toMatchObject({ is_final: true });
    await deliver('2026-12-01', [logLine(plain), logLine(plain), logLine({ ...plain, date: '2026-11-30' })]);
    await run();
    await run();
    expect(requestsOf(await store.find(gauges, '2026-12-01'))).toBe(1);
    const state = JSON.parse(await readFile(path.join(directory, 'state/2026-12-01.json'), 'utf8'));
    expect(state.dropped_lines).toBe(2);
  });

  it('list countries with at least five visitors', async () => {
    const from = (country: string, visitors: number) =>
      Array.from({ length: visitors }, (_, at) => logLine({ ...plain, country, ip: `${country}${at}` }));
    await deliver('2026-12-01', [...from('DE', 5), ...from('FR', 4), ...from('JP', 3), ...from('-', 6)]);
    await run();
    expect((await store.find(gauges, '2026-12-01'))?.countries).toEqual([
      { country: 'other', downloads: 7, visitors: 7 },
      { country: 'ZZ', downloads: 6, visitors: 6 },
      { country: 'DE', downloads: 5, visitors: 5 },
    ]);
  });

  it('name the files with the most downloads, up to the limit', async () => {
    const reads = Array.from({ length: limits.usageFilesMax + 5 }, (_, at) =>
      logLine({ ...plain, path: `file-${at}` }),
    );
    await deliver('2026-12-01', [...reads, logLine({ ...plain, path: 'file-104', ip: '10.9.9.9' })]);
    await run();
    const files = (await store.find(gauges, '2026-12-01'))?.files ?? [];
    expect(files[0]).toEqual({ path: 'file-104', requests: 2, downloads: 2, bytes: 14 });
    expect(files).toHaveLength(limits.usageFilesMax);
  });
});

describe('a day that one run cannot count', () => {
  const world = { firstDay: '2026-12-01', days: 1, visitors: 400, repositories: ['tides/gauges', 'moors/peat'] };

  it('is counted in shards, with the same result', async () => {
    const { lines, truth } = makeUpVisitors(random, world);
    await deliver('2026-12-01', lines);
    await run({ shardBytesMax: 4000 });
    const { clients } = (await store.find(gauges, '2026-12-01')) ?? { clients: {} };
    for (const [kind, counts] of Object.entries(clients)) {
      expect(counts, kind).toEqual(truth.get(truthKey('2026-12-01', 'tides/gauges', kind as 'tools')));
    }
    expect(Object.keys(clients)).toHaveLength(4);
  });

  it('is continued by the next run, with the files that it began with', async () => {
    await deliver('2026-12-01', [logLine(plain)]);
    const untilNow = now;
    // The time limit of the run is already over at its start.
    const clock = () => {
      now += limits.usageRunSeconds * 1000;
      return now;
    };
    expect(await run({ clock })).toBe(0);
    now = untilNow;
    await deliver('2026-12-01', [logLine({ ...plain, ip: '10.0.0.2' })]);
    await run();
    expect(requestsOf(await store.find(gauges, '2026-12-01'))).toBe(1);
    await run();
    expect(requestsOf(await store.find(gauges, '2026-12-01'))).toBe(2);
  });
});

test('a month has the sums of its days, and is final when its last day is', async () => {
  const [before, first] = ['2026-11-30', '2026-12-01'];
  for (const date of [before, first]) await deliver(date, [logLine({ ...plain, date })]);
  await run();
  await deliver('2026-12-02', [logLine({ ...plain, date: '2026-12-02' })]);
  now += dayMs;
  await run();
  expect(requestsOf(await store.find(gauges, '2026-11'))).toBe(1);
  expect(await store.find(gauges, '2026-12')).toMatchObject({
    is_final: false,
    clients: { tools: { requests: 2, visitors: 2 } },
    files: [{ path: 'a', requests: 2, downloads: 2, bytes: 14 }],
  });
  now = Date.parse('2026-12-03T00:00:00Z');
  await run();
  expect(await store.find(gauges, '2026-11')).toMatchObject({ is_final: true });
  expect((await store.list(gauges, { from: '2026-11-30', to: '2026-12-31' })).map(({ period }) => period)).toEqual([
    '2026-11-30',
    '2026-12-01',
    '2026-12-02',
  ]);
});
