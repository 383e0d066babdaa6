import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { FileMetaData } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { endOfStruct, findWholePages } from '../../../site/previews/formats/parquet/pages.ts';
import { planRanges } from '../../../site/previews/formats/parquet/ranges.ts';
import { readParquet } from '../../../site/previews/formats/parquet.ts';
import { unlz4 } from '../../../site/previews/reading/decompress.ts';
import { boundedRanges } from '../../../site/previews/reading/ranges.ts';
import { readSparse } from '../../service/sparse-object.ts';
import { rangesOf as rangesWith, reasonOf } from './file-ranges.ts';
import { largeParquet, parquetOf, withFooter, zigzag } from './parquet-files.ts';

const { limits } = scriptedKinds.parquet;
const rangesOf = (bytes: Uint8Array) => rangesWith(bytes, limits);
const python = path.resolve('.clients/tools/bin/python');

describe('a Parquet file of 10 GB', () => {
  it('shows its schema and first rows from 4 requests and 1 MB', async () => {
    const file = largeParquet();
    const asked: [number, number][] = [];
    const ranges = boundedRanges(
      {
        readRange: async (start, end) => {
          asked.push([start, end]);
          return readSparse(file, start, end);
        },
      },
      file.byteLength,
      limits,
    );
    const { table, notes, hasMore } = await readParquet(ranges);
    expect(table).toMatchObject({ rowsInFile: 1_250_000_000, next: { row: 1000 }, hasIndex: true });
    expect(file.byteLength).toBeGreaterThan(10e9);
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(asked.reduce((sum, [start, end]) => sum + end - start, 0)).toBeLessThanOrEqual(1e6);
    expect(table?.columns.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'station: string',
      'height: double',
      'flag: boolean',
      'note <script>: string',
    ]);
    expect(table?.rows).toHaveLength(1000);
    expect(table?.rows[9]).toEqual(['gauge-2', '1.125', 'false', undefined]);
    expect(notes).toEqual(['One column needs another request.', '1.0 MB of 10 GB read in 4 requests.']);
    expect(hasMore).toBe(true);
  });
});

describe.skipIf(!existsSync(python))('a file from Arrow', () => {
  it('shows all types under each compression except Brotli', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-parquet-'));
    try {
      await promisify(execFile)(python, ['-c', arrowScript], { cwd: folder });
      const tables = new Map<string, unknown>();
      for (const codec of ['none', 'snappy', 'gzip', 'zstd', 'lz4']) {
        const { table } = await readParquet(rangesOf(await readFile(path.join(folder, `${codec}.parquet`))));
        tables.set(codec, table?.rows.slice(0, 3));
      }
      for (const rows of tables.values()) expect(rows).toEqual(arrowRows);
      const brotli = await readParquet(rangesOf(await readFile(path.join(folder, 'brotli.parquet'))));
      expect(brotli.table?.columns.map(({ type }) => type)).toEqual(arrowTypes);
      expect(brotli.table?.rows).toEqual([]);
      expect(brotli.notes[0]).toBe(
        'The preview does not support BROTLI compression. Use one of the tools to read these columns.',
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const arrowScript = `
import datetime, decimal, os, pyarrow as pa, pyarrow.parquet as pq
t = pa.table({
  'i': pa.array([1, None, 3] * 40), 's': pa.array(['<b>', 'b', None] * 40), 'l': pa.array([[1, 2], [], None] * 40),
  'st': pa.array([{'x': 1, 'y': 'z'}, None, {'x': None, 'y': 'q'}] * 40),
  'm': pa.array([[('k', 1)], [], None] * 40, type=pa.map_(pa.string(), pa.int32())),
  'ts': pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5, 123456)] * 120, type=pa.timestamp('us', 'UTC')),
  'dec': pa.array([decimal.Decimal('12.34'), None, decimal.Decimal('-0.10')] * 40),
  'f': pa.array([0.1, float('nan'), None] * 40, type=pa.float32()), 'bin': pa.array([b'\\x00\\x01', b'abc', None] * 40),
  'd': pa.array([datetime.date(2024, 2, 29)] * 120), 'u': pa.array([2**64 - 1, 0, None] * 40, type=pa.uint64())})
for c in ['snappy', 'gzip', 'zstd', 'lz4', 'brotli', 'none']:
  pq.write_table(t, c + '.parquet', compression=c, data_page_version='2.0' if c == 'gzip' else '1.0', data_page_size=200)
# A thread of pyarrow may abort Python while that ends (apache/arrow, issue 39162), after all is written.
os._exit(0)
`;
const arrowTypes = [
  ...['int64', 'string', 'list<int64>', 'struct<x: int64, y: string>', 'map<string, int32>', 'timestamp, UTC'],
  ...['decimal(4, 2)', 'float', 'binary', 'date', 'uint64'],
];
const time = '2024-01-02 03:04:05.123456';
const arrowRows = [
  [
    '1',
    '<b>',
    '[1, 2]',
    '{x: 1, y: z}',
    '{k: 1}',
    time,
    '12.34',
    '0.1',
    '0x0001',
    '2024-02-29',
    String(2n ** 64n - 1n),
  ],
  [null, 'b', '[]', null, '{}', time, null, 'NaN', 'abc', '2024-02-29', '0'],
  ['3', null, null, '{x: null, y: q}', null, time, '-0.1', null, null, '2024-02-29', null],
];

describe('a Parquet file with false claims', () => {
  const honest = parquetOf([
    { name: 'a', data: Array.from({ length: 100 }, (_, index) => index) },
    { name: 'b', data: Array.from({ length: 100 }, (_, index) => `value ${index}`) },
  ]);
  const tail = (length: number) => {
    const file = Uint8Array.from(honest);
    new DataView(file.buffer).setUint32(file.byteLength - 8, length, true);
    return file;
  };
  const column = (metadata: FileMetaData) => {
    const found = metadata.row_groups[0]?.columns[0]?.meta_data;
    if (found === undefined) throw new Error('no column');
    return found;
  };
  const footer = (...bytes: number[]) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(16), Buffer.from(bytes), length, Buffer.from('PAR1')]);
  };
  const manyLists = Array.from({ length: 20 }, () => [0xf9, 0xff, 0xff, 0xff, 0x7f]).flat();

  test.each<[what: string, file: Uint8Array, reason: string]>([
    ['no Parquet at all', new TextEncoder().encode('<script>alert(1)</script>'.repeat(10)), 'not-of-this-format'],
    ['nothing', new Uint8Array(), 'not-of-this-format'],
    ['a footer longer than the file', tail(0xffff_ff00), 'outside-the-file'],
    ['a footer of no bytes', tail(0), 'damaged'],
    ['lists in lists of 2^34 elements', footer(0x19, ...manyLists), 'damaged'],
    ['a number without an end', footer(0x16, ...Array.from({ length: 5000 }, () => 0x80)), 'damaged'],
    ['structs 5,000 deep', footer(...Array.from({ length: 5000 }, () => 0x1c)), 'damaged'],
    [
      'a column behind the end',
      withFooter(honest, (metadata) => (column(metadata).data_page_offset = 2n ** 52n)),
      'outside-the-file',
    ],
    [
      'a column of more bytes than the file',
      withFooter(honest, (metadata) => (column(metadata).total_compressed_size = 10n ** 12n)),
      'outside-the-file',
    ],
    [
      'a column before the beginning',
      withFooter(honest, (metadata) => (column(metadata).data_page_offset = -5n)),
      'outside-the-file',
    ],
  ])('gives a reason for %s', async (_, file, reason) => {
    expect(await reasonOf(readParquet(rangesOf(file)))).toBe(reason);
  });

  test.each<[what: string, claims: (metadata: FileMetaData) => void]>([
    ['in the file', (metadata) => (metadata.num_rows = 10n ** 12n)],
    ['in each row group', claimRows],
    [
      'in each column',
      (metadata) => {
        claimRows(metadata);
        for (const { columns } of metadata.row_groups) {
          for (const { meta_data } of columns) if (meta_data) meta_data.num_values = 10n ** 12n;
        }
      },
    ],
  ])('shows no count of 10^12 rows that are %s, but not in its pages', async (_, claims) => {
    expect(await reasonOf(readParquet(rangesOf(withFooter(honest, claims))))).toBe('false-count');
  });

  test.each([
    ['of 2 GB inside', [0x15, 0, 0x15, ...zigzag(2 ** 31 - 1), 0x15, ...zigzag(10), 0x2c, 0x15, ...zigzag(5), 0, 0]],
    ['of 10^9 values', [0x15, 0, 0x15, ...zigzag(10), 0x15, ...zigzag(10), 0x2c, 0x15, ...zigzag(1e9), 0, 0]],
    [
      'of values that each repeat 1 MB',
      [0x15, 0, 0x15, ...zigzag(1e6), 0x15, ...zigzag(10), 0x2c, 0x15, ...zigzag(1e6), 0x15, ...zigzag(7), 0, 0],
    ],
  ])('does not decode a page %s', (_, header) => {
    expect(() => findWholePages(Uint8Array.from([...header, ...Array(20).fill(0)]), 50)).toThrow('too-large-inside');
  });

  test.each([
    ['too many literals', [0xf0, 255, 255, 0]],
    ['a copy from before the beginning', [0x10, 65, 9, 0]],
    ['a copy past the end', [0x1f, 65, 1, 0, 255, 255, 255, 0]],
  ])('rejects LZ4 with %s', (_, bytes) => {
    expect(() => unlz4(Uint8Array.from(bytes), 64)).toThrow('damaged');
  });

  it('finds no end of a struct that continues beyond the bytes', () => {
    expect(endOfStruct(Uint8Array.from([0x15, 2, 0]), 0)).toBe(3);
    expect(endOfStruct(Uint8Array.from([0x15, 2]), 0)).toBeUndefined();
    expect(endOfStruct(Uint8Array.from([0x18, 100, 1, 2]), 0)).toBeUndefined();
  });
});

function claimRows(metadata: FileMetaData): void {
  metadata.num_rows = 10n ** 12n;
  for (const group of metadata.row_groups) group.num_rows = 10n ** 12n;
}

describe('the rows of a Parquet file', () => {
  const count = 10_000;
  const inGroups = parquetOf(
    [
      { name: 'n', data: Array.from({ length: count }, (_, index) => (index === 9000 ? null : index)), type: 'INT32' },
      { name: 'word', data: Array.from({ length: count }, (_, index) => `word ${index}`) },
    ],
    { rowGroupSize: 3000 },
  );

  test.each<[row: number, rows: number, next: number | undefined]>([
    [0, 2000, 2000],
    [2000, 1000, 3000],
    [2999, 1, 3000],
    [3000, 2000, 5000],
    [9990, 10, undefined],
    [10_000, 1, undefined],
  ])('start at row %d, and end with their row group', async (row, rows, next) => {
    const { table } = await readParquet(rangesOf(inGroups), { row });
    const first = Math.min(row, count - 1);
    expect(table).toMatchObject({ firstRow: first, rowsInFile: count });
    expect(table?.rows).toHaveLength(rows);
    expect(table?.rows[0]).toEqual([String(first), `word ${first}`]);
    expect(table?.next).toEqual(next === undefined ? undefined : { row: next });
  });

  it('have the lowest and highest value and the number of empty cells from the footer', async () => {
    const { table } = await readParquet(rangesOf(inGroups));
    expect(table?.columns.map(({ range }) => range)).toEqual(['0 to 9999, 1 empty', 'word 0 to word 9999']);
  });

  it('have no lowest value if a row group does not state it', async () => {
    const file = withFooter(inGroups, ({ row_groups }) => {
      delete row_groups[2]?.columns[1]?.meta_data?.statistics?.min_value;
    });
    const { table } = await readParquet(rangesOf(file));
    expect(table?.columns[1]?.range).toBeUndefined();
  });
});

describe.skipIf(!existsSync(python))('a row group of 400,000 rows from Arrow', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-parquet-'));
    await promisify(execFile)(python, ['-c', groupScript], { cwd: folder });
  });
  afterAll(() => rm(folder, { recursive: true }));
  const readFrom = async (row: number, index: 'index' | 'plain', bytes = 1_000_000) => {
    const file = rangesWith(await readFile(path.join(folder, `${index}.parquet`)), { requests: 64, bytes: 2 * bytes });
    return { ...(await readParquet(file, { row })), bytes: file.used().bytes };
  };

  it('shows rows near its end from few bytes with an offset index', async () => {
    const { table, bytes } = await readFrom(390_000, 'index');
    expect(table?.rows[0]).toEqual(['390000', '0.39', 'word 2']);
    expect(table?.rows).toHaveLength(2000);
    expect(bytes).toBeLessThan(800_000);
  });

  it('shows only the columns that the limits allow without an offset index', async () => {
    const { table, hasMore } = await readFrom(390_000, 'plain');
    expect(table?.rows[0]).toEqual([undefined, undefined, 'word 2']);
    expect(hasMore).toBe(true);
  });

  it('names the start of the group if the limits allow no column', async () => {
    await expect(readFrom(390_000, 'plain', 300_000)).rejects.toMatchObject({
      reason: 'row-too-deep',
      detail: '390,001 1',
    });
  });
});

const groupScript = `
import os, pyarrow as pa, pyarrow.parquet as pq
n = 400000
t = pa.table({'n': pa.array(range(n)), 'x': pa.array([i / 1e6 for i in range(n)]), 's': pa.array(['word %d' % (i % 7) for i in range(n)])})
for name in ['index', 'plain']:
  pq.write_table(t, name + '.parquet', compression='none', row_group_size=n, use_dictionary=['s'], data_page_size=65536, write_page_index=name == 'index')
os._exit(0)
`;

describe('the planned ranges', () => {
  const megabyte = 2 ** 20;
  const head = 262_144;
  const from = (at: number, length: number) => [at * megabyte, at * megabyte + length];
  const starts = [0, 9, 19, 28, 37];
  test.each([
    ['cover small neighbors together', ['0-100', '100-200', '200-300'], ['0-300']],
    [
      'cover only the beginning of large columns',
      [from(0, 9 * megabyte), from(9, 10 * megabyte), from(19, 10 * megabyte)],
      [from(0, head), from(9, head), from(19, head)],
    ],
    [
      'need no more than the allowed requests',
      starts.map((at) => from(at, 10)),
      starts.slice(0, 3).map((at) => from(at, 10)),
    ],
    ['are none without columns', [], []],
  ])('%s', (_, chunks, expected) => {
    const pairOf = (range: string | number[]) => (typeof range === 'string' ? range.split('-').map(Number) : range);
    const ranges = chunks.map(pairOf).map(([start = 0, end = 0]) => ({ start, end }));
    const planned = planRanges(ranges, { requests: 3, bytes: 3 * head });
    expect(planned.map(({ start, end }) => [start, end])).toEqual(expected.map(pairOf));
  });
});
