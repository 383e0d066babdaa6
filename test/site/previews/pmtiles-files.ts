import { gzipSync } from 'node:zlib';
import type { SparseFile } from '../../service/sparse-object.ts';

/** An entry of a directory. A run of 0 makes it point to another directory. */
export interface Entry {
  tile: number;
  offset: number;
  length: number;
  run?: number;
}

/** Returns a directory as the format stores it, without compression. */
export function directoryOf(entries: readonly Entry[]): Uint8Array {
  const steps = entries.map(({ tile }, index) => tile - (entries[index - 1]?.tile ?? 0));
  const numbers = [
    entries.length,
    ...steps,
    ...entries.map(({ run = 1 }) => run),
    ...entries.map(({ length }) => length),
    ...entries.map(({ offset }) => offset + 1),
  ];
  return Uint8Array.from(numbers.flatMap(varint));
}

export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

interface Archive {
  root: Uint8Array;
  leaves?: Uint8Array;
  metadata?: Uint8Array;
  tiles?: SparseFile;
  /** 1: vector, 2: PNG. */
  tileType?: number;
  zooms?: [min: number, max: number];
  /** The numbers of addressed tiles, entries, and contents. */
  counts?: [bigint, bigint, bigint];
  bounds?: [west: number, south: number, east: number, north: number];
}

/** Builds an archive whose directories, metadata, and tiles are compressed with gzip already. */
export function pmtilesOf(archive: Archive): SparseFile {
  const { root, leaves = new Uint8Array(), metadata = gzipSync('{}'), tiles = { byteLength: 0, parts: [] } } = archive;
  const {
    tileType = 1,
    zooms: [minZoom, maxZoom] = [0, 0],
    counts = [1n, 1n, 1n],
    bounds = [-180, -85, 180, 85],
  } = archive;
  const header = Buffer.alloc(127);
  header.write('PMTiles');
  header[7] = 3;
  let at = header.length;
  const sections = [root, metadata, leaves, tiles];
  for (const [index, { byteLength }] of sections.entries()) {
    header.writeBigUInt64LE(BigInt(at), 8 + index * 16);
    header.writeBigUInt64LE(BigInt(byteLength), 16 + index * 16);
    at += byteLength;
  }
  for (const [index, count] of counts.entries()) header.writeBigUInt64LE(count, 72 + index * 8);
  header.set([1, 2, 2, tileType, minZoom, maxZoom], 96);
  for (const [index, degrees] of bounds.entries()) header.writeInt32LE(Math.round(degrees * 1e7), 102 + index * 4);
  const start = Buffer.concat([header, root, metadata, leaves]);
  return {
    byteLength: at,
    parts: [{ at: 0, bytes: start }, ...tiles.parts.map((part) => ({ ...part, at: part.at + start.byteLength }))],
  };
}

/** Returns a field of a protocol buffer message. */
export function field(number: number, content: number | Uint8Array): Uint8Array {
  if (typeof content === 'number') return Uint8Array.from([...varint(number * 8), ...varint(content)]);
  return Buffer.concat([Uint8Array.from([...varint(number * 8 + 2), ...varint(content.byteLength)]), content]);
}

/** Returns a layer of a vector tile. */
export function layerOf(name: string, parts: readonly Uint8Array[]): Uint8Array {
  return field(3, Buffer.concat([field(1, Buffer.from(name)), ...parts, field(5, 4096), field(15, 2)]));
}

/** Returns a feature of a layer. `kind` is 1 for points, 2 for lines, and 3 for areas. */
export function featureOf(kind: number, geometry: Uint8Array, tags: readonly number[] = []): Uint8Array {
  const parts = [field(2, Uint8Array.from(tags.flatMap(varint))), field(3, kind), field(4, geometry)];
  return field(2, Buffer.concat(tags.length === 0 ? parts.slice(1) : parts));
}

const wanted = 1_400_000_000;
const apart = 250_000_000;

/**
 * Builds an archive of 1.4 GB with the zooms 0 to 14 and 40 leaf directories. Its shape is that of a base map of a
 * country. The four tiles of zoom 1 have 150 kB each and are far from each other.
 */
export function largePmtiles(): SparseFile {
  const line = (seed: number) =>
    Uint8Array.from([
      ...[9, ...varint((seed * 37) % 8192), ...varint((seed * 91) % 8192), 8 * 12 + 2],
      ...Array.from({ length: 24 }, (_, index) => varint((seed * (index + 3) * 2_654_435_761) % 300)).flat(),
    ]);
  const names = ['kind', 'name'].map((name) => field(3, Buffer.from(name)));
  const values = Array.from({ length: 200 }, (_, index) => field(4, field(1, Buffer.from(`road ${index}`))));
  const features = Array.from({ length: 5000 }, (_, index) =>
    featureOf(2, line(index), [0, index % 200, 1, index % 7]),
  );
  const tile = gzipSync(layerOf('roads', [...names, ...values, ...features]));
  const entriesPerLeaf = 4096;
  const step = Math.floor(wanted / 40);
  const leaves = Array.from({ length: 40 }, (_, leaf) =>
    gzipSync(
      directoryOf(
        Array.from({ length: entriesPerLeaf }, (_, index) => ({
          tile: leaf * entriesPerLeaf + index,
          ...(leaf === 0 && index < 5
            ? { offset: index * apart, length: tile.byteLength }
            : { offset: leaf * step + index * 8000, length: 2000 }),
        })),
      ),
    ),
  );
  let at = 0;
  const root = leaves.map(({ byteLength }, leaf): Entry => {
    at += byteLength;
    return { tile: leaf * entriesPerLeaf, offset: at - byteLength, length: byteLength, run: 0 };
  });
  return pmtilesOf({
    root: gzipSync(directoryOf(root)),
    leaves: Buffer.concat(leaves),
    metadata: gzipSync(JSON.stringify({ name: 'Roads', vector_layers: [{ id: 'roads', fields: { kind: 'String' } }] })),
    tiles: { byteLength: wanted, parts: [0, 1, 2, 3, 4].map((index) => ({ at: index * apart, bytes: tile })) },
    zooms: [0, 14],
    counts: [163_840n, 163_840n, 160_000n],
  });
}
