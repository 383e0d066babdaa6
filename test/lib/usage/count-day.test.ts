import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientKind } from '../../../lib/domain/usage/client-kinds.ts';
import type { LogLine } from '../../../lib/domain/usage/log-records.ts';
import type { UsageCounts } from '../../../lib/domain/usage/usage.ts';
import { copyShard, countDay, type DayInput } from '../../../lib/usage/count-day.ts';
import { openUsageDatabase, type UsageDatabase } from '../../../lib/usage/database.ts';
import { writeLogFile } from '../../../lib/usage/log-files.ts';
import { rows } from '../../../lib/usage/sql.ts';
import { seededNumbers } from '../../service/seeded-random.ts';
import { logLine, makeUpVisitors, type Truth, truthKey } from './made-up-visitors.ts';

const repositories = ['tides/gauges', 'tides/charts', 'moors/peat'];
const days = ['2026-11-30', '2026-12-01', '2026-12-02'];

let database: UsageDatabase;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'usage-'));
  database = await openUsageDatabase({ directory, memoryMb: 512, threads: 2 });
});

afterAll(async () => {
  database.close();
  await rm(directory, { recursive: true });
});

const findRepositories: DayInput['findRepositories'] = async (names) =>
  names.map(({ account_id, repository_id }) => {
    const name = `${account_id}/${repository_id}`;
    return repositories.includes(name)
      ? { uid: name, owner: account_id, created_at: '2026-11-01T06:00:00.123Z' }
      : undefined;
  });

/** Counts the reads of a day. Returns the rows of all tables in a fixed order. */
async function count(of: string, files: readonly string[], more: Partial<DayInput> = {}) {
  const { connection } = database;
  await countDay(connection, { day: of, files, findRepositories, ...more });
  const counted = async (table: string) => rows(connection, `SELECT * EXCLUDE owner FROM ${table} ORDER BY ALL`);
  return {
    clients: await counted('clients'),
    countries: await counted('countries'),
    files: await rows(connection, 'FROM files ORDER BY ALL'),
  };
}

let filesWritten = 0;
async function written(lines: readonly LogLine[]): Promise<string> {
  filesWritten += 1;
  const file = path.join(directory, `${filesWritten}.parquet`);
  await writeLogFile(database, file, lines);
  return file;
}

function truthOf(day: string, truth: Truth) {
  return [...truth].filter(([key]) => key.startsWith(day)).sort();
}

function found(of: string, { clients }: Awaited<ReturnType<typeof count>>): [string, UsageCounts][] {
  return clients
    .map(({ repository_uid, kind, ...counts }): [string, UsageCounts] => [
      truthKey(of, String(repository_uid), kind as ClientKind),
      counts as UsageCounts,
    ])
    .sort();
}

describe('the counts of made-up visitors', () => {
  const random = seededNumbers('usage');
  const { lines, truth } = makeUpVisitors(random, { firstDay: '2026-11-30', days: 3, visitors: 3000, repositories });
  const files: string[] = [];

  beforeAll(async () => {
    // The log lines are spread over the files in random order, and one in ten is in two files.
    const parts: LogLine[][] = Array.from({ length: 7 }, () => []);
    for (const line of lines) {
      parts[Math.floor(random() * 7)]?.push(line);
      if (random() < 0.1) parts[Math.floor(random() * 7)]?.push(line);
    }
    for (const part of parts) files.push(await written(part));
  });

  it.each(days)('are exact on %s, at the turn of a month too', async (day) => {
    expect(found(day, await count(day, files))).toEqual(truthOf(day, truth));
  });

  it.each([
    ['for the same files in another order and twice', {}],
    ['if the reads are counted in many parts', { readsAtOnce: 100 }],
  ])('are byte-identical %s', async (_, more) => {
    const [day] = days as [string];
    const once = await count(day, files);
    expect(JSON.stringify(await count(day, [...files, ...files].reverse(), more))).toBe(JSON.stringify(once));
  });

  it('are the sums of three shards', async () => {
    const [day] = days as [string];
    const sums: Truth = new Map();
    for (const index of [0, 1, 2]) {
      const shard = path.join(directory, `shard-${index}.parquet`);
      await copyShard(database.connection, files, { index, of: 3 }, shard);
      for (const [key, counts] of found(day, await count(day, [shard]))) {
        const before = sums.get(key);
        sums.set(key, before === undefined ? counts : add(before, counts));
      }
    }
    expect([...sums].sort()).toEqual(truthOf(day, truth));
  });
});

const day = '2026-12-01';
const plain = {
  date: day,
  time: '12:00:00',
  ip: '10.0.0.1',
  agent: 'curl/8',
  country: 'DE',
  repository: 'tides/gauges',
  path: 'a',
  status: '200',
  bytes: 7,
  random: seededNumbers('lines'),
};

describe('a read', () => {
  it.each<[string, string, string, string]>([
    ['of a percent-encoded key', 'data.example', '/tides/gauges/a%20b/%C3%BC', 'a b/ü'],
    ['of an encoded unreserved character', 'data.example', '/tides/gauges/%61', 'a'],
    ['of a key with quotes and a line break', 'data.example', "/tides/gauges/it's%22%0Athis", 'it\'s"\nthis'],
    ['of a key with empty segments', 'data.example', '/tides/gauges//a//b', '/a//b'],
    ['of a version', 'data.example', '/tides/gauges@v1/a', 'a'],
    ['of a version with an encoded @', 'data.example', '/tides/gauges%40v1/a', 'a'],
    ['by a virtual host', 'TIDES.data.example', '/gauges/a', 'a'],
  ])('%s counts for the file', async (_, x_host_header, cs_uri_stem, key) => {
    const lines = [{ ...logLine(plain), x_host_header, cs_uri_stem }];
    const { files } = await count(day, [await written(lines)], { virtualHostBase: 'data.example' });
    expect(files).toEqual([{ repository_uid: 'tides/gauges', path: key, requests: 1, downloads: 1, bytes: 7 }]);
  });

  it.each([
    ['two spellings of one key', ['/tides/gauges/a', '/tides/gauges/%61'], 1],
    ['the newest state and a version', ['/tides/gauges/a', '/tides/gauges@v1/a'], 1],
    ['two keys', ['/tides/gauges/a', '/tides/gauges/A'], 2],
  ])('of %s by one visitor counts once for each file', async (_, stems, downloads) => {
    const lines = stems.map((cs_uri_stem) => ({ ...logLine(plain), cs_uri_stem }));
    const { clients } = await count(day, [await written(lines)]);
    expect(clients).toMatchObject([{ downloads, visitors: 1, requests: 2 }]);
  });

  it('is cut at midnight, so that a download over midnight counts on both days', async () => {
    const lines = [
      logLine({ ...plain, date: '2026-11-30', time: '23:59:59' }),
      logLine({ ...plain, date: day, time: '00:00:01' }),
    ];
    const file = await written(lines);
    for (const of of ['2026-11-30', day]) {
      expect((await count(of, [file])).clients).toMatchObject([{ downloads: 1, visitors: 1, requests: 1 }]);
    }
  });

  it('by two IP addresses or two programs counts as two visitors', async () => {
    const lines = [plain, { ...plain, ip: '10.0.0.2' }, { ...plain, agent: 'Wget/2' }].map(logLine);
    const { clients } = await count(day, [await written(lines)]);
    expect(clients).toMatchObject([{ kind: 'tools', visitors: 3, downloads: 3 }]);
  });

  it('by robots counts for no file and no country', async () => {
    const lines = [logLine({ ...plain, agent: 'CCBot/2.0' })];
    const { clients, countries, files } = await count(day, [await written(lines)]);
    expect(clients).toMatchObject([{ kind: 'robots', downloads: 1 }]);
    expect([countries, files]).toEqual([[], []]);
  });

  it('before the creation of the repository counts for none', async () => {
    const lines = ['06:00:00', '05:59:59'].map((time) => logLine({ ...plain, date: '2026-11-01', time }));
    const { clients } = await count('2026-11-01', [await written(lines)]);
    expect(clients).toMatchObject([{ requests: 1 }]);
  });
});

function add(left: UsageCounts, right: UsageCounts): UsageCounts {
  const sums = Object.entries(left).map(([name, value]) => [name, value + right[name as keyof UsageCounts]]);
  return Object.fromEntries(sums) as UsageCounts;
}
