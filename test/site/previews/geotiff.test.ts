import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { type ReadingLimits, scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { decodeTile } from '../../../site/previews/formats/geotiff/decode.ts';
import { paint, type Raster } from '../../../site/previews/formats/geotiff/paint.ts';
import { utmOf } from '../../../site/previews/formats/geotiff/utm.ts';
import { readGeotiff } from '../../../site/previews/formats/geotiff.ts';
import type { Extent, Pixels, RasterChoice } from '../../../site/previews/preview.ts';
import { boundedRanges, readNote } from '../../../site/previews/reading/ranges.ts';
import { readSparse } from '../../service/sparse-object.ts';
import { rangesOf, reasonOf } from './file-ranges.ts';
import { largeTiff, tiffWith } from './geotiff-files.ts';

const { limits } = scriptedKinds.geotiff;
const world = await readFile('lib/local/world-borders/countries.tif');
const translate = '/usr/bin/gdal_translate';

describe('a GeoTIFF', () => {
  it('shows a small image whole, with its location', async () => {
    const { map, properties, notes } = await readGeotiff(rangesOf(world, limits));
    expect(map?.raster).toEqual({
      bandNames: ['1'],
      choice: { bands: [0], stretch: 'usual' },
      legend: { lowest: '0', highest: '840' },
    });
    expect(map?.extent.map((value) => Number(value.toFixed(4)))).toEqual([0, 0, 1, 1]);
    expect(properties).toEqual([
      ['Pixels', '360 × 180'],
      ['Bands', '1 × uint16'],
      ['Compression', 'none'],
      ['Coordinates', 'EPSG:4326'],
      ['Size of a pixel', '1 × 1'],
      ['West, south, east, north', '-180, -90, 180, 90'],
    ]);
    expect(map?.notes).toEqual(['All pixels of the image.']);
    expect(notes).toEqual(['131 kB of 131 kB read in one request.']);
  });

  it('counts each byte once in its note, even if ranges overlap', async () => {
    const file = rangesOf(new Uint8Array(1_000_000), limits);
    for (const [start, end] of [
      [0, 400_000],
      [900_000, 1_000_000],
      [300_000, 500_000],
      [0, 450_000],
      [100_000, 200_000],
    ] as const)
      await file.read(start, end);
    expect(readNote(file)).toBe('600 kB of 1.0 MB read in 4 requests.');
  });
});

describe('the position of a GeoTIFF', () => {
  // The expected values come from GDAL.
  test.each([
    [32_633, 13.4, 52.5, 391_390.731, 5_817_855.241],
    [32_733, 16.9, -33.9, 675_678.486, 6_247_306.743],
    [25_832, 9, 0, 500_000, 0],
  ])('is right in EPSG:%i', (code, longitude, latitude, easting, northing) => {
    const zone = utmOf(code);
    const [x = 0, y = 0] = zone?.fromDegrees(longitude, latitude) ?? [];
    expect([x, y]).toEqual([expect.closeTo(easting, 2), expect.closeTo(northing, 2)]);
    expect(zone?.toDegrees(x, y)).toEqual([expect.closeTo(longitude, 8), expect.closeTo(latitude, 8)]);
  });

  it('is unknown in other systems', () => {
    expect([4326, 32_600, 32_661, 3035].map(utmOf)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe.skipIf(!existsSync(translate))('a GeoTIFF from GDAL', () => {
  const cog = '-of COG -outsize 1200 600 -co BLOCKSIZE=128';

  async function converted(options: string): Promise<Buffer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-geotiff-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(path.join(folder, 'a.tif'), world);
    // In Web Mercator, the map shows each pixel of the image once.
    const placed = ['-a_srs', 'EPSG:3857', '-a_ullr', '-1000', '500', '1000', '-500'];
    await promisify(execFile)(translate, ['-q', ...placed, ...options.split(' '), 'a.tif', 'b.tif'], { cwd: folder });
    return readFile(path.join(folder, 'b.tif'));
  }

  it.each([
    ['LZW', `${cog} -co COMPRESS=LZW -ot Float32`],
    ['LZW with a predictor, as BigTIFF', `${cog} -co COMPRESS=LZW -co PREDICTOR=YES -co BIGTIFF=YES`],
    ['Deflate with a floating-point predictor', `${cog} -co COMPRESS=DEFLATE -co PREDICTOR=YES -ot Float64`],
    ['Zstandard', `${cog} -co COMPRESS=ZSTD -ot Byte`],
    ['no compression', `${cog} -co COMPRESS=NONE`],
    ['big-endian PackBits', '-of GTiff -co COMPRESS=PACKBITS -co ENDIANNESS=BIG'],
    ['three color bands', `${cog} -b 1 -b 1 -b 1 -ot Byte -co COMPRESS=LZW`],
    [
      'three planes',
      '-of GTiff -b 1 -b 1 -b 1 -co INTERLEAVE=BAND -co PHOTOMETRIC=RGB -co COMPRESS=DEFLATE -co TILED=YES',
    ],
  ])('shows the pixels that geotiff.js reads from the same overview, with %s', async (_, options) => {
    const file = await converted(options);
    const { map, notes } = await readGeotiff(rangesOf(file, limits));
    const { width = 0, pixels = [] } = (map?.pictures?.[0]?.image ?? {}) as Partial<Pixels>;
    const { raster } = await readByAnother(file, width);
    const expected = paint({ ...raster, palette: undefined, alpha: undefined, noData: undefined }).pixels;
    // Compares buffers, because comparing a million list elements one by one is slow.
    expect(Buffer.compare(Buffer.from(expected), Buffer.from(pixels))).toBe(0);
    expect(notes.at(-1)).toMatch(/ read in (one|[2-9]) requests?\.$/);
  });

  it('shows more pixels of the part that the reader looks at', async () => {
    const file = await converted('-of COG -outsize 4000 2000 -co BLOCKSIZE=256 -co COMPRESS=DEFLATE');
    const { map } = await readGeotiff(rangesOf(file, limits));
    expect(map?.notes).toEqual(['Pixels of an overview of 1,000 × 500; the image has 4,000 × 2,000.']);
    const [left = 0, top = 0, right = 0, bottom = 0] = map?.extent ?? [];
    const extent: Extent = [left, top, left + (right - left) / 5, top + (bottom - top) / 5];
    const part = await readGeotiff(rangesOf(file, limits), { look: { extent, width: 800, height: 400 } });
    expect(part.map?.notes).toEqual(['All pixels of the image.']);
    const [picture] = part.map?.pictures ?? [];
    expect((picture?.image as Pixels | undefined)?.width).toBe(800);
    expect(picture?.extent).toEqual(extent.map((value) => expect.closeTo(value, 12)));
    // The colors do not change while the user moves the map.
    expect(part.map?.raster).toEqual(map?.raster);
  });

  it('colors the bands that the reader chooses', async () => {
    const file = await converted(
      '-of GTiff -b 1 -b 1 -b 1 -scale_2 0 900 900 0 -co COMPRESS=DEFLATE -co PHOTOMETRIC=MINISBLACK',
    );
    const choose = async (raster: RasterChoice) => {
      const { map } = await readGeotiff(rangesOf(file, limits));
      const look = { extent: map?.extent ?? ([0, 0, 1, 1] as Extent), width: 360, height: 180, raster };
      return readGeotiff(rangesOf(file, limits), { look });
    };
    const { map } = await choose({ bands: [1], stretch: 'whole' });
    expect(map?.raster).toMatchObject({ bandNames: ['1', '2', '3'], legend: { lowest: '6', highest: '900' } });
    expect((await choose({ bands: [2, 1, 0], stretch: 'none' })).map?.raster?.legend).toBeUndefined();
    expect(await reasonOf(choose({ bands: [3], stretch: 'none' }))).toBe('damaged');
    expect(await reasonOf(choose({ bands: [], stretch: 'none' }))).toBe('damaged');
  });

  it('names a compression that needs WebAssembly', async () => {
    const file = await converted(`${cog} -ot Float32 -co COMPRESS=LERC`);
    await expect(readGeotiff(rangesOf(file, limits))).rejects.toMatchObject({ reason: 'compression', detail: 'LERC' });
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
    const bands = Array.from({ length: isRgb ? 3 : 1 }, (_, band) => read[band] as Uint8Array<ArrayBuffer>);
    const kind = bands[0] instanceof Uint8Array ? 'uint8' : 'other';
    return { raster: { width, height: image.getHeight(), bands, kind, isRgb } };
  }
  throw new Error(`no image of ${width} pixels`);
}

describe('an image of 1.6 GB', () => {
  it('shows its overview, and then any part, with at most 2 MB of reads', async () => {
    const image = largeTiff();
    expect(image.byteLength).toBeGreaterThan(1.6e9);
    const open = (given: ReadingLimits) =>
      boundedRanges({ readRange: async (start, end) => readSparse(image, start, end) }, image.byteLength, given);
    const first = open(limits);
    const { map } = await readGeotiff(first);
    expect(map?.notes?.[0]).toContain('an overview of 1,000 × 1,000');
    expect(first.bytesRead()).toBeLessThanOrEqual(2_000_000);
    const next = open(scriptedKinds.geotiff.lookLimits);
    const look = { extent: [20_000, 20_000, 20_600, 20_400] as Extent, width: 600, height: 400 };
    const part = await readGeotiff(next, { look });
    expect(part.map?.notes).toEqual(['All pixels of the image.']);
    // The overview was cached, so it causes no request.
    expect(next.bytesRead() - first.bytesRead()).toBeLessThanOrEqual(2_000_000);
  });
});

describe('a TIFF file with false claims', () => {
  const tile = { tileOffset: 200, tileBytes: 10 };

  test.each<[claim: string, file: Uint8Array, reason: string]>([
    ['no false claim', tiffWith({}), 'shown'],
    ['2^31 pixels wide and high', tiffWith({ width: 2 ** 31, height: 2 ** 31 }), 'damaged'],
    ['9 million pixels without an overview', tiffWith({ width: 3000, height: 3000, rows: 3000 }), 'no-overview'],
    ['a tile of 36 MB', tiffWith({ tileWidth: 6000, tileHeight: 6000, ...tile }), 'too-large-inside'],
    ['no pixels', tiffWith({ width: 0 }), 'damaged'],
    ['tiles of 2^30 pixels', tiffWith({ tileWidth: 2 ** 30, tileHeight: 2 ** 30, ...tile }), 'damaged'],
    ['tiles of no pixels', tiffWith({ tileWidth: 0, tileHeight: 0, ...tile }), 'damaged'],
    ['a million tiles', tiffWith({ width: 2000, height: 2000, tileWidth: 1, tileHeight: 1, ...tile }), 'damaged'],
    ['65,535 samples per pixel', tiffWith({ samples: 65_535, width: 1000, height: 1000, rows: 1000 }), 'damaged'],
    ['no samples', tiffWith({ samples: 0 }), 'damaged'],
    ['samples of 7 bits', tiffWith({ bits: 7 }), 'samples'],
    ['pixels beyond the end', tiffWith({ offset: 2 ** 31 }), 'outside-the-file'],
    ['more bytes than the file', tiffWith({ bytes: 2 ** 31 }), 'outside-the-file'],
    ['a cycle of images', tiffWith({}, 8), 'shown'],
    ['a next image beyond the end', tiffWith({}, 2 ** 31), 'outside-the-file'],
    ['an unknown compression', tiffWith({ compression: 4242 }), 'compression'],
    ['markup', new TextEncoder().encode('<script>alert(1)</script>'.repeat(9)), 'not-of-this-format'],
    ['no bytes', new Uint8Array(), 'not-of-this-format'],
  ])('gives a reason for %s', async (_, file, reason) => {
    expect(await reasonOf(readGeotiff(rangesOf(file, limits)))).toBe(reason);
  });

  it('never decodes a tile to more than its size', () => {
    const zeros = deflateSync(Buffer.alloc(64 * 1024 * 1024));
    const codes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 37) % 256);
    expect(() => decodeTile(zeros, 8, 256)).toThrow('too-large-inside');
    expect(decodeTile(Uint8Array.from([129, 7, 129, 7, 129, 7]), 32773, 256)).toHaveLength(256);
    expect(decodeTile(codes, 5, 256)).toHaveLength(256);
  });
});
