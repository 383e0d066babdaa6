import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, it, test } from 'vitest';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { decodeTile } from '../../../site/previews/formats/geotiff/decode.ts';
import { paint, type Raster } from '../../../site/previews/formats/geotiff/paint.ts';
import { readGeotiff } from '../../../site/previews/formats/geotiff.ts';
import { rangesOf, reasonOf } from './file-ranges.ts';

const { limits } = scriptedKinds.geotiff;
const world = await readFile('lib/local/world-borders/countries.tif');
const translate = '/usr/bin/gdal_translate';

describe('a GeoTIFF', () => {
  it('that is small is shown whole, with where it lies', async () => {
    const { picture, facts, notes } = await readGeotiff(rangesOf(world, limits));
    expect([picture?.width, picture?.height, picture?.legend]).toEqual([360, 180, { lowest: '0', highest: '840' }]);
    expect(facts).toEqual([
      ['Pixels', '360 × 180'],
      ['Bands', '1 × uint16'],
      ['Compression', 'none'],
      ['Coordinates', 'EPSG:4326'],
      ['Size of a pixel', '1 × 1'],
      ['West, south, east, north', '-180, -90, 180, 90'],
    ]);
    expect(notes).toEqual(['The whole image.', '131 kB of 131 kB read in one request.']);
  });
});

describe.skipIf(!existsSync(translate))('a Cloud-optimized GeoTIFF that GDAL wrote', () => {
  const cog = ['-of', 'COG', '-outsize', '1200', '600', '-co', 'BLOCKSIZE=128'];
  it.each([
    ['LZW', [...cog, '-co', 'COMPRESS=LZW', '-ot', 'Float32']],
    ['LZW with a predictor, as BigTIFF', [...cog, '-co', 'COMPRESS=LZW', '-co', 'PREDICTOR=YES', '-co', 'BIGTIFF=YES']],
    [
      'Deflate with a predictor of floating numbers',
      [...cog, '-co', 'COMPRESS=DEFLATE', '-co', 'PREDICTOR=YES', '-ot', 'Float64'],
    ],
    ['Zstandard', [...cog, '-co', 'COMPRESS=ZSTD', '-ot', 'Byte']],
    ['no compression', [...cog, '-co', 'COMPRESS=NONE']],
    ['PackBits in the other order of bytes', ['-of', 'GTiff', '-co', 'COMPRESS=PACKBITS', '-co', 'ENDIANNESS=BIG']],
    ['three bands of colours', [...cog, '-b', '1', '-b', '1', '-b', '1', '-ot', 'Byte', '-co', 'COMPRESS=LZW']],
    [
      'three planes',
      [
        '-of',
        'GTiff',
        '-b',
        '1',
        '-b',
        '1',
        '-b',
        '1',
        '-co',
        'INTERLEAVE=BAND',
        '-co',
        'PHOTOMETRIC=RGB',
        '-co',
        'COMPRESS=DEFLATE',
        '-co',
        'TILED=YES',
      ],
    ],
  ])('with %s has the pixels that another reader finds in the same overview', async (_, options) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-geotiff-'));
    try {
      await writeFile(path.join(folder, 'a.tif'), world);
      await promisify(execFile)(translate, ['-q', ...options, 'a.tif', 'b.tif'], { cwd: folder });
      const file = await readFile(path.join(folder, 'b.tif'));
      const { picture, notes } = await readGeotiff(rangesOf(file, limits));
      const { raster } = await readByAnother(file, picture?.width ?? 0);
      const expected = paint({ ...raster, palette: undefined, alpha: undefined, noData: undefined }).pixels;
      // Compares buffers, because comparing a million list elements one by one is slow.
      expect(Buffer.compare(Buffer.from(expected), Buffer.from(picture?.pixels ?? []))).toBe(0);
      expect(notes.at(-1)).toMatch(/ read in (one|[2-9]) requests?\.$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('under a compression that needs WebAssembly says which', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-geotiff-'));
    await writeFile(path.join(folder, 'a.tif'), world);
    await promisify(execFile)(translate, ['-q', ...cog, '-ot', 'Float32', '-co', 'COMPRESS=LERC', 'a.tif', 'b.tif'], {
      cwd: folder,
    });
    const reading = readGeotiff(rangesOf(await readFile(path.join(folder, 'b.tif')), limits));
    await expect(reading).rejects.toMatchObject({ reason: 'compression', detail: 'LERC' });
    await rm(folder, { recursive: true });
  });
});

async function readByAnother(
  file: Buffer,
  width: number,
): Promise<{ raster: Pick<Raster, 'width' | 'height' | 'bands' | 'kind' | 'isRgb'> }> {
  const tiff = await fromArrayBuffer(Uint8Array.from(file).buffer);
  for (let index = 0; index < (await tiff.getImageCount()); index += 1) {
    const image = await tiff.getImage(index);
    if (image.getWidth() !== width) continue;
    const isRgb = image.getSamplesPerPixel() === 3;
    const read = await image.readRasters({ samples: isRgb ? [0, 1, 2] : [0] });
    const bands = Array.from({ length: isRgb ? 3 : 1 }, (_, band) => read[band] as Uint8Array);
    const kind = bands[0] instanceof Uint8Array ? 'uint8' : 'other';
    return { raster: { width, height: image.getHeight(), bands, kind, isRgb } };
  }
  throw new Error(`no image of ${width} pixels`);
}

/** Builds a TIFF file of fields with one number each, followed by the content. */
function tiffOf(fields: [tag: number, value: number][], { next = 0, content = new Uint8Array(4096) } = {}): Uint8Array {
  const head = Buffer.alloc(8 + 2 + fields.length * 12 + 4);
  head.write('II');
  head.writeUInt16LE(42, 2);
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(fields.length, 8);
  for (const [index, [tag, value]] of fields.entries()) {
    const at = 10 + index * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(4, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value, at + 8);
  }
  head.writeUInt32LE(next, head.length - 4);
  return Buffer.concat([head, content]);
}

const tag = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  offset: 273,
  samples: 277,
  rows: 278,
  bytes: 279,
  tileWidth: 322,
  tileHeight: 323,
  tileOffset: 324,
  tileBytes: 325,
};
const small: [number, number][] = [
  [tag.width, 16],
  [tag.height, 16],
  [tag.bits, 8],
  [tag.compression, 1],
  [tag.offset, 200],
  [tag.bytes, 256],
  [tag.rows, 16],
];
const withFields = (...changes: [number, number][]) => [...new Map([...small, ...changes])] as [number, number][];

describe('a TIFF file of lies', () => {
  it('is one that could be shown, but for the lie', async () => {
    expect(await reasonOf(readGeotiff(rangesOf(tiffOf(small), limits)))).toBe('shown');
  });

  test.each<[what: string, file: Uint8Array, reason: string]>([
    ['2^31 pixels wide and high', tiffOf(withFields([tag.width, 2 ** 31], [tag.height, 2 ** 31])), 'no-overview'],
    ['no pixels', tiffOf(withFields([tag.width, 0])), 'damaged'],
    [
      'tiles of 2^30 pixels',
      tiffOf(
        withFields([tag.tileWidth, 2 ** 30], [tag.tileHeight, 2 ** 30], [tag.tileOffset, 200], [tag.tileBytes, 10]),
      ),
      'too-large-inside',
    ],
    [
      'tiles of no pixels',
      tiffOf(withFields([tag.tileWidth, 0], [tag.tileHeight, 0], [tag.tileOffset, 200], [tag.tileBytes, 10])),
      'damaged',
    ],
    [
      'a million tiles',
      tiffOf(
        withFields(
          [tag.width, 2000],
          [tag.height, 2000],
          [tag.tileWidth, 1],
          [tag.tileHeight, 1],
          [tag.tileOffset, 200],
          [tag.tileBytes, 10],
        ),
      ),
      'too-large-inside',
    ],
    [
      '65,535 samples a pixel',
      tiffOf(withFields([tag.samples, 65_535], [tag.width, 1000], [tag.height, 1000], [tag.rows, 1000])),
      'too-large-inside',
    ],
    ['no samples', tiffOf(withFields([tag.samples, 0])), 'damaged'],
    ['samples of 7 bits', tiffOf(withFields([tag.bits, 7])), 'samples'],
    ['pixels behind the end', tiffOf(withFields([tag.offset, 2 ** 31])), 'outside-the-file'],
    ['more bytes than the file', tiffOf(withFields([tag.bytes, 2 ** 31])), 'outside-the-file'],
    ['a chain of images that leads back', tiffOf(small, { next: 8 }), 'shown'],
    ['a next image behind the end', tiffOf(small, { next: 2 ** 31 }), 'outside-the-file'],
    ['an unknown compression', tiffOf(withFields([tag.compression, 4242])), 'compression'],
    ['markup', new TextEncoder().encode('<script>alert(1)</script>'.repeat(9)), 'not-of-this-format'],
    ['nothing', new Uint8Array(), 'not-of-this-format'],
  ])('%s ends in a sentence', async (_, file, reason) => {
    expect(await reasonOf(readGeotiff(rangesOf(file, limits)))).toBe(reason);
  });

  it('a tile never gets longer than it may be', () => {
    const zeros = deflateSync(Buffer.alloc(64 * 1024 * 1024));
    expect(() => decodeTile(zeros, 8, 256)).toThrow('too-large-inside');
    expect(decodeTile(Uint8Array.from([129, 7, 129, 7, 129, 7]), 32773, 256)).toHaveLength(256);
    expect(
      decodeTile(
        Uint8Array.from({ length: 5000 }, (_, index) => (index * 37) % 256),
        5,
        256,
      ),
    ).toHaveLength(256);
  });
});
