import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import Blosc from 'numcodecs/blosc';
import { describe, expect, it, test } from 'vitest';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { unblosc } from '../../../site/previews/formats/zarr/blosc.ts';
import { readZarr } from '../../../site/previews/formats/zarr.ts';
import type { SliceChoice } from '../../../site/previews/preview.ts';
import { boundedRanges } from '../../../site/previews/reading/ranges.ts';
import { refusalText } from '../../../site/previews/reading/refusal.ts';
import { seededBytes } from '../../service/seeded-random.ts';
import {
  arrayOf,
  cube,
  emptyGroup,
  type Folder,
  floats,
  groupOf,
  jsonBytes,
  largeCube,
  openIn,
  unlistedCube,
} from './zarr-stores.ts';

const { limits, moreLimits } = scriptedKinds.zarr;
const python = path.resolve('.clients/tools/bin/python');

const sentenceOf = (error: unknown) => refusalText(error, 'zarr');

async function sliceOf(folder: Folder, choice?: Partial<SliceChoice>, opened = 'zarr.json') {
  const file = openIn(folder, opened, limits);
  const { slice } = await readZarr(file);
  if (slice === undefined) throw new Error('no slice');
  if (choice === undefined) return { slice, file };
  const again = openIn(folder, opened, limits);
  const chosen = (await readZarr(again, { slice: { ...slice.choice, ...choice } })).slice;
  if (chosen === undefined) throw new Error('no slice');
  return { slice: chosen, file: again };
}

describe('an array of Zarr', () => {
  it('shows its last two dimensions, with coordinates, unit, and north at the top', async () => {
    const { slice, file } = await sliceOf(cube());
    expect(slice.arrays).toEqual(['air']);
    expect(slice.dimensions).toEqual([
      { name: 'time', size: 3, labels: ['2026-01-30', '2026-01-31', '2026-02-01'] },
      { name: 'lat', size: 4, labels: ['10', '11', '12', '13'] },
      { name: 'lon', size: 5 },
    ]);
    expect(slice).toMatchObject({ unit: 'K', isFlipped: true, hasMore: false });
    expect(slice.description).toBe('air temperature, lat down and lon to the right');
    expect([...slice.values]).toEqual([30, 31, 32, 33, 34, 20, 21, 22, 23, 24, 10, 11, 12, 13, 14, 0, 1, 2, 3, 4]);
    expect(file.asked.map(([name]) => name).sort()).toEqual(['air/c/0/0/0', 'lat/c/0', 'time/c/0']);
    expect(slice.notes[0]).toBe('float32, 3 × 4 × 5.');
  });

  it('shows the index and the dimensions that the reader chooses', async () => {
    const { slice } = await sliceOf(cube(), { at: [1, -1, -1] });
    expect(slice.values[0]).toBe(130);
    const other = await sliceOf(cube(), { rows: 0, columns: 2, at: [-1, 2, -1] });
    expect([...other.slice.values.subarray(0, 6)]).toEqual([20, 21, 22, 23, 24, 120]);
  });

  it('shows the fill value of a missing chunk, and no value where it means so', async () => {
    const missing = { at: [2, -1, -1] };
    expect(new Set((await sliceOf(cube(), missing)).slice.values)).toEqual(new Set([0]));
    const filled = cube({ fill_value: -999, attributes: {} });
    expect((await sliceOf(filled, missing)).slice.values.every(Number.isNaN)).toBe(true);
    const bits = cube({ fill_value: '0x7fc00000' });
    expect((await sliceOf(bits, missing)).slice.values.every(Number.isNaN)).toBe(true);
    const packed = cube({ attributes: { scale_factor: 0.5, add_offset: 3, _FillValue: 30 } });
    const { slice } = await sliceOf(packed);
    expect([...slice.values.subarray(0, 3)]).toEqual([Number.NaN, 18.5, 19]);
    expect(slice.notes).toContain('Values are the stored numbers × 0.5 + 3.');
  });

  it('counts the request for a missing chunk', async () => {
    const { file } = await sliceOf({ 'zarr.json': jsonBytes(arrayOf([10, 10], [5, 5])) });
    expect(file.used().requests).toBe(5);
  });

  it('uses the first choice if a choice does not fit the array', async () => {
    const hostile = { rows: 1e9, columns: -1, at: [Number.NaN, 2 ** 60, -5] };
    expect((await sliceOf(cube(), hostile)).slice.values[0]).toBe(30);
    const { slice } = await sliceOf(cube(), { at: [1e300, 1e300, 1e300] });
    expect(slice.choice.at).toEqual([2, 0, 0]);
  });

  it('shows an array of one dimension as a table, and one without dimensions as a value', async () => {
    const list = { 'zarr.json': jsonBytes(arrayOf([5000], [3000])), 'c/0': floats(3000, (index) => index / 2) };
    const { table, notes } = await readZarr(openIn(list, 'zarr.json', limits));
    expect(table?.rows).toHaveLength(2000);
    expect(table?.rows[3]).toEqual(['3', '1.5']);
    expect(notes).toEqual(['The first 2,000 of 5,000 values.']);
    const single = { 'zarr.json': jsonBytes(arrayOf([], [])), c: floats(1, () => 7) };
    expect((await readZarr(openIn(single, 'zarr.json', limits))).properties).toEqual([['Value', '7']]);
  });
});

describe('a group without a list of its arrays', () => {
  const group = jsonBytes(emptyGroup);

  it.each(['', 'day/'])('shows the arrays that it finds in the folder "%s"', async (below) => {
    const { slice } = await sliceOf(unlistedCube(below));
    expect(slice.arrays[0]).toBe(`${below}air`);
    expect(slice.dimensions[0]?.labels?.[0]).toBe('2026-01-30');
    expect(slice.values[0]).toBe(30);
    expect(slice.notes.join(' ')).not.toContain('can be missing');
  });

  it('shows no array of a group below two groups', async () => {
    const deep = { ...unlistedCube('day/hour/'), 'day/zarr.json': group };
    expect(await sliceOf(deep).catch(sentenceOf)).toContain('The preview found no array in this group');
  });

  it('shows arrays of Zarr 2 with the names of their dimensions', async () => {
    const { slice } = await sliceOf(
      {
        '.zgroup': jsonBytes({ zarr_format: 2 }),
        'a/.zarray': jsonBytes({
          ...{ zarr_format: 2, shape: [2, 2], chunks: [2, 2], dtype: '<f4', compressor: null, filters: null },
          ...{ fill_value: 0, order: 'C' },
        }),
        'a/.zattrs': jsonBytes({ _ARRAY_DIMENSIONS: ['y', 'x'] }),
        'a/0.0': floats(4, (index) => index),
      },
      undefined,
      '.zgroup',
    );
    expect(slice.dimensions.map(({ name }) => name)).toEqual(['y', 'x']);
  });

  it('reads only the first folders within the limits, and tells that arrays can be missing', async () => {
    const node = jsonBytes(arrayOf([10, 10], [10, 10]));
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}/zarr.json`, node]));
    const { slice, file } = await sliceOf({ 'zarr.json': group, ...many });
    expect(slice.notes.join(' ')).toContain('some of its arrays can be missing');
    expect(file.used().requests).toBeLessThanOrEqual(limits.requests / 2);
    const more = openIn({ 'zarr.json': group, ...many }, 'zarr.json', moreLimits);
    expect((await readZarr(more)).slice?.arrays).toHaveLength(98);
  });

  it('has a sentence for metadata that exceeds the limits', async () => {
    const node = jsonBytes(arrayOf([10, 10], [10, 10], { attributes: { text: 'x'.repeat(900_000) } }));
    const many = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`a${at}/zarr.json`, node]));
    expect(await sliceOf({ 'zarr.json': group, ...many }).catch(sentenceOf)).toContain('needs too much of this file');
  });

  it('never leaves its folder for names in a list', async () => {
    const asked: string[] = [];
    const file = boundedRanges(
      {
        readRange: async () => group,
        folder: {
          sizeOf: async () => undefined,
          list: async (path) => {
            asked.push(path);
            return { names: ['..', '.', '', '../a', 'a/b', 'b'], hasMore: false };
          },
          read: async (path) => {
            asked.push(path);
            return undefined;
          },
        },
      },
      group.byteLength,
      limits,
    );
    await readZarr(file).catch(() => undefined);
    expect(asked).toEqual(['', 'b/zarr.json']);
    await expect(file.listNear('../other')).rejects.toMatchObject({ reason: 'outside-the-folder' });
  });
});

describe('a store of 4 GB', () => {
  const { chunk, chunkPaths } = largeCube;
  const store = (codecs: object[], encoded: Uint8Array): Folder => ({
    'zarr.json': jsonBytes(largeCube.metadata({ codecs })),
    ...Object.fromEntries(chunkPaths.map((name) => [name, encoded])),
  });
  const little = { name: 'bytes', configuration: { endian: 'little' } };

  it('shows its first picture within 2 MB of reads', async () => {
    const { slice, file } = await sliceOf(store([little, { name: 'gzip' }], gzipSync(chunk)));
    expect(slice.hasMore).toBe(false);
    expect(slice.values[499]).toBe(499);
    expect(file.bytesRead()).toBeLessThanOrEqual(2e6);
  });

  it('shows the part of the slice that 2 MB allow without compression, and the rest on request', async () => {
    const { slice, file } = await sliceOf(store([little], chunk));
    expect([slice.hasMore, slice.rows.length * slice.columns.length]).toEqual([true, 250_000]);
    expect(file.asked.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(2e6);
    const more = await readZarr(openIn(store([little], chunk), 'zarr.json', moreLimits), { slice: slice.choice });
    expect(more.slice?.hasMore).toBe(false);
    expect(more.slice?.values).toHaveLength(1_000_000);
  });

  it('shows a level of detail that fits', async () => {
    const sizes = [100_000, 10_000, 1000, 100];
    const arrays = Object.fromEntries(sizes.map((size, level) => [`${level}`, arrayOf([size, size], [256, 256])]));
    const datasets = sizes.map((_, level) => ({ path: `${level}` }));
    const axes = [{ name: 'y' }, { name: 'x' }];
    for (const attributes of [{ ome: { multiscales: [{ datasets, axes }] } }, { multiscales: { layout: datasets } }]) {
      const metadata = jsonBytes(groupOf(arrays, attributes));
      const folder: Folder = (name) => (name === 'zarr.json' ? metadata : undefined);
      const { slice, file } = await sliceOf(folder);
      expect(slice.choice.array).toBe('2');
      expect(file.used().requests).toBeLessThan(20);
      expect(slice.arrays).toEqual(['0', '1', '2', '3']);
    }
    const unlisted = {
      'zarr.json': jsonBytes({
        zarr_format: 3,
        node_type: 'group',
        attributes: { ome: { multiscales: [{ datasets }] } },
      }),
      ...Object.fromEntries(sizes.map((_, level) => [`${level}/zarr.json`, jsonBytes(arrays[level])])),
    };
    expect((await sliceOf(unlisted)).slice.choice.array).toBe('2');
  });

  it('shows the middle of an array that has more chunks than the limits allow', async () => {
    const metadata = jsonBytes(arrayOf([1e15, 1e15], [100, 100]));
    const { slice, file } = await sliceOf((name) => (name === 'zarr.json' ? metadata : undefined));
    expect(slice.rows.length).toBeLessThanOrEqual(1000);
    expect(slice.rows.start).toBeGreaterThan(4e14);
    expect(file.used().requests).toBeLessThanOrEqual(limits.requests);
  });

  it('shows every second or further value of a large slice', async () => {
    const metadata = jsonBytes(arrayOf([4000, 2000], [4000, 2000], { data_type: 'uint8' }));
    const { slice } = await sliceOf({
      'zarr.json': metadata,
    });
    expect([slice.rows.step, slice.columns.step, slice.values.length]).toEqual([3, 2, 1334 * 1000]);
    expect(slice.notes).toContain('The image shows every third row and every second column.');
  });
});

describe('the decoder of Blosc', () => {
  const samples = {
    'one element': seededBytes(1),
    'random bytes': seededBytes(10_000),
    'repeated bytes': Buffer.alloc(300_007, 'tides'),
    'a long ramp': Buffer.from(Uint32Array.from({ length: 20_000 }, (_, index) => index >> 3).buffer),
  };
  const compressors = ['lz4', 'lz4hc', 'snappy', 'zlib', 'zstd'];
  test.each(
    Object.entries(samples).flatMap(([name, bytes]) => compressors.map((cname) => [name, cname, bytes] as const)),
  )('decodes %s of %s with and without shuffle', async (_, cname, bytes) => {
    for (const shuffle of [0, 1, 2]) {
      const encoded = Uint8Array.from(await Blosc.fromConfig({ id: 'blosc', cname, clevel: 5, shuffle }).encode(bytes));
      expect(Buffer.from(unblosc(encoded, bytes.byteLength)).equals(bytes)).toBe(true);
    }
  });

  it('refuses damaged buffers without a hang, and other sizes than the chunk has', async () => {
    const bytes = samples['a long ramp'];
    const encoded = Uint8Array.from(await Blosc.fromConfig({ id: 'blosc', cname: 'lz4', shuffle: 1 }).encode(bytes));
    expect(() => unblosc(encoded, bytes.byteLength - 1)).toThrow('too-large-inside');
    const random = seededBytes(800, 'places');
    for (let at = 0; at < 400; at += 1) {
      const place = (random[at] ?? 0) % (at % 2 === 0 ? 64 : encoded.length);
      const changed = encoded.with(place, random[at + 400] ?? 0);
      try {
        expect(unblosc(changed, bytes.byteLength).byteLength).toBeLessThanOrEqual(bytes.byteLength);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
    for (let length = 0; length < 100; length += 1) {
      expect(() => unblosc(encoded.subarray(0, length), bytes.byteLength)).toThrow();
    }
  });
});

describe('a store without a preview', () => {
  const bytes = { name: 'bytes', configuration: { endian: 'little' } };
  const square = (more: object) => arrayOf([10, 10], [10, 10], more);
  const v2 = (more: object) => ({
    ...{ zarr_format: 2, shape: [10, 10], chunks: [10, 10], dtype: '<f4', compressor: null, filters: null },
    ...{ fill_value: 0, order: 'C', ...more },
  });
  const shards = (chunk_shape: unknown, codecs: unknown = [bytes]) => [
    { name: 'sharding_indexed', configuration: { chunk_shape, codecs, index_codecs: [bytes] } },
  ];
  const levels = (paths: unknown[]) => ({
    ome: { multiscales: [{ datasets: paths.map((each) => ({ path: each })) }] },
  });
  const group = (attributes: object) => ({ zarr_format: 3, node_type: 'group', attributes });
  const damaged = 'The file is damaged';
  const zeros = gzipSync(Buffer.alloc(30e6));
  const cases: [name: string, metadata: unknown, sentence: string, chunk?: Uint8Array][] = [
    ['no JSON', '{', damaged],
    ['deep JSON', '['.repeat(500_000), damaged],
    ['other JSON', { a: 1 }, 'This is not a Zarr file'],
    ['a list', [1], 'This is not a Zarr file'],
    ['no shape', square({ shape: undefined }), damaged],
    ['a negative shape', square({ shape: [10, -10] }), damaged],
    ['a shape that is no number', square({ shape: [10, '10'] }), damaged],
    ['a shape above all integers', square({ shape: [10, 1e300] }), damaged],
    ['a chunk shape of zero', arrayOf([10, 10], [0, 10]), damaged],
    ['a negative chunk shape', arrayOf([10, 10], [-1, 10]), damaged],
    ['a chunk shape of another rank', arrayOf([10, 10], [10]), damaged],
    ['no values', square({ shape: [10, 0] }), 'This file has no content to show.'],
    ['40 dimensions', arrayOf(Array(40).fill(1), Array(40).fill(1)), 'This array has 40 dimensions'],
    ['a chunk of 4 TB', arrayOf([1e15, 1e15], [1e6, 1e6]), 'Each chunk of this array has 4.0 TB in memory'],
    ['a chunk above all integers', arrayOf([1e15, 1e15], [1e15, 1e15]), 'Each chunk of this array has'],
    ['texts', square({ data_type: 'string' }), 'arrays of the type string'],
    ['complex numbers', square({ data_type: 'complex64' }), 'arrays of the type complex64'],
    ['an unknown data type', square({ data_type: { name: 'numpy.datetime64' } }), 'arrays of the type {name: numpy'],
    ['structured data', v2({ dtype: [['a', '<f4']] }), 'arrays of the type [[a, <f4]]'],
    ['texts of Zarr 2', v2({ dtype: '<U10' }), 'arrays of the type <U10'],
    ['objects of Zarr 2', v2({ dtype: '|O' }), 'arrays of the type |O'],
    ['an unknown codec', square({ codecs: [bytes, { name: 'pcodec' }] }), 'the codec pcodec'],
    ['an unknown compressor', v2({ compressor: { id: 'lzma' } }), 'the codec lzma'],
    ['an unknown filter', v2({ filters: [{ id: 'quantize' }] }), 'the codec quantize'],
    [
      'blosclz',
      v2({ compressor: { id: 'blosc' } }),
      'the codec blosc with blosclz',
      Buffer.from([2, 1, 0, 4, 144, 1, 0, 0, 144, 1, 0, 0, 30, 0, 0, 0]),
    ],
    ['Blosc 2', v2({ compressor: { id: 'blosc' } }), 'the codec blosc of format 5', Buffer.alloc(40, 5)],
    ['shards in shards', square({ codecs: shards([5, 5], shards([5, 5])) }), 'the codec sharding_indexed'],
    ['shards of zero', square({ codecs: shards([0, 5]) }), damaged],
    ['shards that chunks do not divide', square({ codecs: shards([3, 5]) }), damaged],
    ['an index of 10^12 chunks', arrayOf([1e6, 1e6], [1e6, 1e6], { codecs: shards([1, 1]) }), damaged],
    ['a codec around shards', square({ codecs: [...shards([5, 5]), { name: 'gzip' }] }), 'codecs around shards'],
    ['an irregular grid', square({ chunk_grid: { name: 'rectilinear' } }), 'the chunk grid rectilinear'],
    ['unknown chunk keys', square({ chunk_key_encoding: { name: 'hilbert' } }), 'the chunk keys hilbert'],
    [
      'a separator with a path',
      square({ chunk_key_encoding: { name: 'v2', configuration: { separator: '/../' } } }),
      'chunk keys',
    ],
    ['no bytes', square({}), damaged, new Uint8Array()],
    ['too few bytes', square({}), damaged, new Uint8Array(399)],
    ['too many bytes', square({}), damaged, new Uint8Array(100_000)],
    ['a decompression bomb', square({ codecs: [bytes, { name: 'gzip' }] }), damaged, zeros],
    ['damaged gzip data', square({ codecs: [bytes, { name: 'gzip' }] }), damaged, seededBytes(500)],
    ['damaged Zstandard data', square({ codecs: [bytes, { name: 'zstd' }] }), damaged, seededBytes(500)],
    ['damaged LZ4 data', v2({ compressor: { id: 'lz4' } }), damaged, seededBytes(500)],
    [
      'a permutation that is none',
      square({ codecs: [{ name: 'transpose', configuration: { order: [0, 0] } }, bytes] }),
      damaged,
    ],
    ['a fill value that is no number', square({ data_type: 'int64', fill_value: 1.5 }), damaged],
    ['no arrays', group({}), 'The preview found no array in this group'],
    ['an empty list of arrays', groupOf({}), 'The preview found no array in this group'],
    ['a level outside of the folder', group(levels(['../other'])), 'The file refers to data outside its folder'],
    ['a level at a URL', group(levels(['https://example.com/a'])), 'The file refers to data outside its folder'],
    ['a level that is the group itself', group(levels(['.'])), 'The file refers to data outside its folder'],
    ['levels that are groups', group(levels(Array(5000).fill('loop'))), 'The preview found no array in this group'],
    ['an array outside of the folder', groupOf({ '../a': square({}) }), 'The file refers to data outside its folder'],
    ['an array at the root', groupOf({ '/a': square({}) }), 'The file refers to data outside its folder'],
  ];
  test.each(cases)('has a sentence for %s', async (_, metadata, sentence, chunk) => {
    const root = jsonBytes(metadata);
    const folder: Folder = (name) =>
      name === 'zarr.json'
        ? root
        : name === 'loop/zarr.json'
          ? jsonBytes(group({}))
          : name === '.zattrs'
            ? undefined
            : chunk;
    const started = performance.now();
    const shown = readZarr(openIn(folder, 'zarr.json', limits)).then(JSON.stringify, sentenceOf);
    expect(await shown).toContain(sentence);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('has a sentence for a list that is too long, and shows the first arrays of a long list', async () => {
    const arrays = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`a${at}`, square({})]));
    const { slice } = await readZarr(openIn({ 'zarr.json': jsonBytes(groupOf(arrays)) }, 'zarr.json', limits));
    expect(slice?.arrays).toHaveLength(500);
    const long = openIn(
      { 'zarr.json': jsonBytes(groupOf({ a: square({ attributes: { a: 'x'.repeat(3e6) } }) })) },
      'zarr.json',
      limits,
    );
    expect(await readZarr(long).catch(sentenceOf)).toContain('The preview needs too much of this file');
  });
});

describe.skipIf(!existsSync(python))('a store of zarr-python', () => {
  it('shows the same numbers in every format, order, type, and codec', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'sluice-zarr-'));
    try {
      await promisify(execFile)(python, ['-c', script], { cwd: root });
      const expected = JSON.parse(await readFile(path.join(root, 'expected.json'), 'utf8')) as Record<string, number[]>;
      for (const store of ['v2', 'v3']) {
        const folder = path.join(root, store);
        const names = await readdir(folder, { recursive: true, withFileTypes: true });
        const files = names
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => path.join(parentPath, name));
        const contents = await Promise.all(
          files.map(async (file) => [path.relative(folder, file), await readFile(file)] as const),
        );
        const opened = store === 'v2' ? '.zmetadata' : 'zarr.json';
        const { slice: first } = await sliceOf(Object.fromEntries(contents), undefined, opened);
        expect(first.arrays.length).toBeGreaterThan(8);
        for (const array of first.arrays) {
          const choice = { array, rows: 1, columns: 2, at: [1, -1, -1] };
          const { slice } = await sliceOf(Object.fromEntries(contents), choice, opened);
          expect([...slice.values], `${store}/${array}`).toEqual(expected[`${store}/${array}`]);
        }
      }
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

const script = `
import json, warnings, numpy as np, numcodecs, zarr
from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec, TransposeCodec, BytesCodec
warnings.simplefilter('ignore')
values = (np.arange(2 * 40 * 30).reshape(2, 40, 30) * 7) % 1000
expected = {}
def add(group, version, name, dtype='f4', chunks=(1, 16, 16), **more):
  a = group.create_array(name, shape=values.shape, chunks=chunks, dtype=dtype, **more)
  a[:] = values
  expected[f'v{version}/{name}'] = np.asarray(a[1]).astype('f8').ravel().tolist()
v2 = zarr.open_group('v2', mode='w', zarr_format=2)
for dtype in ['u1', 'i2', '>i4', 'i8', 'u8', 'f2', 'f4', '>f8', 'bool']: add(v2, 2, 'default ' + dtype, dtype)
B = numcodecs.Blosc
for cname in ['lz4', 'lz4hc', 'zlib', 'zstd', 'snappy']:
  for shuffle in [0, 1, 2]:
    try: compressor = B(cname=cname, shuffle=shuffle); compressor.encode(values)
    except ValueError: continue
    for dtype in ['u1', 'f8']:
      add(v2, 2, f'blosc {cname} {shuffle} {dtype}', dtype, compressors=compressor, chunks=(2, 37, 29))
for codec in [numcodecs.LZ4(), numcodecs.Zstd(), numcodecs.Zlib(), numcodecs.GZip()]:
  add(v2, 2, codec.codec_id, compressors=codec)
add(v2, 2, 'none', compressors=None)
add(v2, 2, 'fortran', order='F')
add(v2, 2, 'delta', 'i4', filters=[numcodecs.Delta(dtype='<i4')])
add(v2, 2, 'shuffle', 'i4', filters=[numcodecs.Shuffle(elementsize=4)], compressors=numcodecs.Zlib())
add(v2, 2, 'slash', chunk_key_encoding={'name': 'v2', 'separator': '/'})
zarr.consolidate_metadata('v2')
v3 = zarr.open_group('v3', mode='w', zarr_format=3)
for dtype in ['u1', 'i2', 'i8', 'u8', 'f2', 'f4', 'f8', 'bool']: add(v3, 3, 'default ' + dtype, dtype)
add(v3, 3, 'big', 'f8', serializer=BytesCodec(endian='big'))
add(v3, 3, 'blosc', compressors=BloscCodec(cname='zstd', shuffle='bitshuffle'))
add(v3, 3, 'gzip', compressors=GzipCodec())
add(v3, 3, 'transposed', filters=[TransposeCodec(order=(2, 0, 1))])
add(v3, 3, 'shards', chunks=(1, 8, 8), shards=(2, 32, 16))
zarr.consolidate_metadata('v3')
json.dump(expected, open('expected.json', 'w'))
`;
