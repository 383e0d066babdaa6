import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { imageSize } from '../../../site/previews/formats/image-size.ts';
import { tilesOver } from '../../../site/previews/formats/mercator.ts';
import { partsOf, readTileLayers } from '../../../site/previews/formats/pmtiles/vector-tile.ts';
import { readPmtiles } from '../../../site/previews/formats/pmtiles.ts';
import { rangesOf, reasonOf } from './file-ranges.ts';

const { limits } = scriptedKinds.pmtiles;
const world = await readFile('lib/local/world-borders/countries.pmtiles');

/** Byte positions in the header, in the order of the format. */
const place = { directory: 8, metadata: 24, leaves: 40, tiles: 56 };

function changed(change: (view: DataView, bytes: Uint8Array) => void): Uint8Array {
  const bytes = Uint8Array.from(world);
  change(new DataView(bytes.buffer), bytes);
  return bytes;
}

describe('PMTiles', () => {
  it('draws the tiles that cover the archive, and shows its layers, zooms, and bounds', async () => {
    const { map, table, properties, notes } = await readPmtiles(rangesOf(world, limits));
    expect(map?.layers.map(({ name, kind }) => [name, kind])).toEqual([['countries', 'area']]);
    expect(map?.layers[0]?.points.every(Number.isFinite)).toBe(true);
    expect(map?.columns?.map(({ name }) => name)).toEqual(['Layer', 'name']);
    expect(map?.columns?.[1]?.values).toContain('Fiji');
    expect(table?.rows).toEqual([['countries', 'areas', '177', 'name']]);
    expect(properties).toContainEqual(['Name', 'World borders']);
    expect(map?.notes).toEqual(['Tiles of zoom 0.']);
    expect(notes).toEqual([expect.stringMatching(/ read in one request\.$/)]);
  });

  test.each([
    ['a world', { west: -180, south: -85, east: 180, north: 85 }, { min: 0, max: 14 }, [1, 4]],
    ['a town', { west: 13.0, south: 52.3, east: 13.8, north: 52.7 }, { min: 0, max: 14 }, [9, 4]],
    ['one zoom alone', { west: -180, south: -85, east: 180, north: 85 }, { min: 6, max: 6 }, [6, 4]],
    ['a point', { west: 10, south: 50, east: 10.00001, north: 50.00001 }, { min: 0, max: 12 }, [12, 1]],
  ])('shows few tiles of %s', (_, bounds, zooms, [z, count]) => {
    const tiles = tilesOver(bounds, zooms, 4);
    expect(tiles.length).toBeLessThanOrEqual(count ?? 0);
    expect(new Set(tiles.map((tile) => tile.z))).toEqual(new Set([z]));
    expect(tiles.every(({ x, y }) => x >= 0 && y >= 0 && x < 2 ** (z ?? 0) && y < 2 ** (z ?? 0))).toBe(true);
  });

  test.each<[what: string, file: Uint8Array, reason: string]>([
    ['nothing', new Uint8Array(), 'not-of-this-format'],
    ['markup', new TextEncoder().encode('<script>alert(1)</script>'.repeat(20)), 'not-of-this-format'],
    [
      'a directory that is its own leaf',
      changed((view, bytes) => {
        // An entry with a run length of 0 points to a leaf directory: here, to the root itself.
        const at = Number(view.getBigUint64(place.directory, true));
        view.setBigUint64(place.leaves, BigInt(at), true);
        bytes.set([1, 0, 0, 6, 1], at);
      }),
      'damaged',
    ],
    [
      'a directory of 2^32 entries',
      changed((view, bytes) => bytes.set([255, 255, 255, 255, 15], Number(view.getBigUint64(place.directory, true)))),
      'damaged',
    ],
    ['a directory behind the end', changed((view) => view.setBigUint64(place.directory, 2n ** 50n, true)), 'damaged'],
    ['tiles behind the end', changed((view) => view.setBigUint64(place.tiles, 2n ** 50n, true)), 'outside-the-file'],
    ['an unknown kind of tiles', changed((view) => view.setUint8(99, 77)), 'tiles'],
    ['directories under Brotli', changed((view) => view.setUint8(97, 3)), 'compression'],
    ['images that are none', changed((view) => view.setUint8(99, 2)), 'damaged'],
  ])('gives a reason for %s', async (_, file, reason) => {
    expect(await reasonOf(readPmtiles(rangesOf(file, limits)))).toBe(reason);
  });

  it('shows the map without unreadable metadata', async () => {
    const file = changed((view, bytes) =>
      bytes.fill(
        123,
        Number(view.getBigUint64(place.metadata, true)),
        Number(view.getBigUint64(place.metadata, true)) + 10,
      ),
    );
    expect((await readPmtiles(rangesOf(file, limits))).map?.layers).toHaveLength(1);
  });

  it('stops at 8 MB of a compressed tile', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const file = Buffer.concat([world, bomb]);
    const view = new DataView(file.buffer, file.byteOffset);
    view.setBigUint64(place.tiles, BigInt(world.byteLength), true);
    // The directories are uncompressed, and the tiles are compressed with gzip.
    view.setUint8(97, 1);
    view.setUint8(98, 2);
    const at = Number(view.getBigUint64(place.directory, true));
    const length = bomb.byteLength;
    const entry = [1, 0, 1, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14, 1];
    // The directory entry is longer than the original one, and also overwrites the metadata.
    file.set(entry, at);
    view.setBigUint64(place.directory + 8, BigInt(entry.length), true);
    view.setBigUint64(place.metadata + 8, 0n, true);
    expect(await reasonOf(readPmtiles(rangesOf(file, limits)))).toBe('too-large-inside');
  });
});

describe('a vector tile with false claims', () => {
  const layer = (...features: number[]) => Uint8Array.from([0x1a, features.length + 4, 0x0a, 1, 97, ...features, 0x78]);

  it('closes a ring once that claims 2^28 closes', () => {
    const geometry = [0x09, 2, 2, 0x12, 2, 2, 2, 2, 0xff, 0xff, 0xff, 0xff, 0x0f];
    const parts = [
      ...partsOf(Uint8Array.from(geometry), { kind: 'area', tags: undefined, start: 0, end: geometry.length }, 1000),
    ];
    expect(parts[0]?.points).toHaveLength(4);
  });

  it('reads only the existing points of a line with 2^28 claimed points', () => {
    const geometry = [0x09, 2, 2, 0xfa, 0xff, 0xff, 0xff, 0x0f, 2, 2];
    const parts = [
      ...partsOf(Uint8Array.from(geometry), { kind: 'line', tags: undefined, start: 0, end: geometry.length }, 1000),
    ];
    expect(parts[0]?.points).toHaveLength(2);
  });

  test.each([
    ['a layer longer than the tile', Uint8Array.from([0x1a, 0xff, 0xff, 0xff, 0x7f, 0])],
    ['a name longer than its layer', Uint8Array.from([0x1a, 3, 0x0a, 0x7f, 97])],
    ['an extent of 0', Uint8Array.from([0x1a, 5, 0x0a, 1, 97, 0x28, 0])],
    ['a feature longer than its layer', layer(0x12, 0x50, 0x18, 3)],
    ['no numbers', Uint8Array.from({ length: 40 }, () => 0xff)],
  ])('rejects %s', (_, bytes) => {
    expect(() => readTileLayers(bytes)).toThrow();
  });
});

describe('the size of an image', () => {
  const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
  test.each<[what: string, bytes: Uint8Array, size: unknown]>([
    ['PNG', hex('89504e470d0a1a0a 0000000d49484452 00010000 00000200 0806000000'), { width: 65_536, height: 512 }],
    ['JPEG', hex('ffd8 ffe00010 4a46494600010100000100010000 ffc0 0011 08 0100 0200 03'), { width: 512, height: 256 }],
    [
      'WebP, lossy',
      hex('52494646 00000000 57454250 56503820 00000000 000000 9d012a 0002 0001'),
      { width: 512, height: 256 },
    ],
    ['WebP, lossless', hex('52494646 00000000 57454250 5650384c 00000000 2f ff013f00 00'), { width: 512, height: 253 }],
    [
      'WebP, extended',
      hex('52494646 00000000 57454250 56503858 0a000000 00000000 ffff00 ff0000'),
      { width: 65_536, height: 256 },
    ],
    [
      'AVIF',
      hex('0000001c 66747970 61766966 00000000 00000014 69737065 00000000 00000100 00000080'),
      { width: 256, height: 128 },
    ],
    ['SVG', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), undefined],
    ['a JPEG that is cut off', hex('ffd8 ffe0'), undefined],
    ['nothing', new Uint8Array(), undefined],
  ])('is known before decoding: %s', (_, bytes, size) => {
    expect(imageSize(bytes)).toEqual(size);
  });
});
