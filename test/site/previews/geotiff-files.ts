import type { SparseFile } from '../../service/sparse-object.ts';

const tags = {
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
  predictor: 317,
  format: 339,
  pixelScale: 33550,
  tiePoint: 33922,
  geoKeys: 34735,
  noData: 42113,
};

/** The value types of TIFF fields, by their number. */
const types = { text: 2, uint16: 3, uint32: 4, float64: 12 };

/** One number, or several values that are stored at another position of the file. */
type Field = number | { type: keyof typeof types; count: number; at: number };
export type Fields = Partial<Record<keyof typeof tags, Field>>;

/** Builds a valid small TIFF file. `changes` can make it invalid. After the fields, it contains 4 kB of zeros. */
export function tiffWith(changes: Fields, next = 0): Uint8Array {
  const small: Fields = { width: 16, height: 16, bits: 8, compression: 1, offset: 200, bytes: 256, rows: 16 };
  const fields = Object.entries({ ...small, ...changes });
  const head = Buffer.alloc(8 + 2 + fields.length * 12 + 4);
  head.write('II');
  head.writeUInt16LE(42, 2);
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(fields.length, 8);
  for (const [index, [name, value]] of fields.entries()) {
    const at = 10 + index * 12;
    head.writeUInt16LE(tags[name as keyof typeof tags], at);
    const {
      type,
      count,
      at: first,
    } = typeof value === 'number' ? ({ type: 'uint32', count: 1, at: value } as const) : value;
    head.writeUInt16LE(types[type], at + 2);
    head.writeUInt32LE(count, at + 4);
    head.writeUInt32LE(first, at + 8);
  }
  head.writeUInt32LE(next, head.length - 4);
  return Buffer.concat([head, new Uint8Array(4096)]);
}

const side = 40_000;
const tileSide = 512;

/**
 * Builds an image of 1.6 GB without compression, with an overview of 1,000 × 1,000 pixels. Its shape is that of an
 * aerial photograph. All pixels are zeros.
 */
export function largeTiff(): SparseFile {
  const head = Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
  const data = 100_000;
  const full = directoryOf(8, side, data);
  const overview = directoryOf(8 + full.bytes.length, 1000, data + full.tiles * tileSide ** 2);
  full.bytes.writeUInt32LE(8 + full.bytes.length, 2 + 10 * 12);
  return {
    byteLength: data + (full.tiles + overview.tiles) * tileSide ** 2,
    parts: [{ at: 0, bytes: Buffer.concat([head, full.bytes, overview.bytes]) }],
  };
}

/** Returns the tags of an image without compression, whose tiles follow each other from an offset on. */
function directoryOf(at: number, width: number, firstTile: number): { bytes: Buffer; tiles: number } {
  const tiles = Math.ceil(width / tileSide) ** 2;
  const fields = [256, 257, 258, 259, 262, 277, 322, 323, 324, 325];
  const values = [width, width, 8, 1, 1, 1, tileSide, tileSide, 0, 0];
  const bytes = Buffer.alloc(2 + fields.length * 12 + 4 + tiles * 8);
  const lists = at + 2 + fields.length * 12 + 4;
  bytes.writeUInt16LE(fields.length, 0);
  for (const [index, tag] of fields.entries()) {
    const entry = 2 + index * 12;
    bytes.writeUInt16LE(tag, entry);
    bytes.writeUInt16LE(4, entry + 2);
    bytes.writeUInt32LE(tag >= 324 ? tiles : 1, entry + 4);
    bytes.writeUInt32LE(tag >= 324 ? lists + (tag - 324) * tiles * 4 : (values[index] ?? 0), entry + 8);
  }
  for (let tile = 0; tile < tiles; tile += 1) {
    bytes.writeUInt32LE(firstTile + tile * tileSide ** 2, lists - at + tile * 4);
    bytes.writeUInt32LE(tileSide ** 2, lists - at + (tiles + tile) * 4);
  }
  return { bytes, tiles };
}
