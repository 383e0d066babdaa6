import { parquetWriteBuffer } from 'hyparquet-writer';

/** A raster of 512 by 512 as strips of 16 rows, whose pixels count from 0 and begin again at 1000. Written by hand, since geotiff.js writes one strip. */
export function tiffOfHeights(): Buffer {
  const size = 512;
  const rowsPerStrip = 16;
  const strips = size / rowsPerStrip;
  const stripBytes = size * rowsPerStrip * 2;
  const short = 3;
  const long = 4;
  const entries: [tag: number, type: number, values: number[]][] = [
    [256, long, [size]],
    [257, long, [size]],
    [258, short, [16]],
    [259, short, [1]],
    [262, short, [1]],
    [273, long, Array.from({ length: strips }, (_, index) => pixelsAt + index * stripBytes)],
    [277, short, [1]],
    [278, long, [rowsPerStrip]],
    [279, long, Array.from({ length: strips }, () => stripBytes)],
  ];
  const file = Buffer.alloc(pixelsAt + size * size * 2);
  file.write('II');
  file.writeUInt16LE(42, 2);
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(entries.length, 8);
  let spill = 10 + entries.length * 12 + 4;
  for (const [index, [tag, type, values]] of entries.entries()) {
    const at = 10 + index * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(values.length, at + 4);
    if (values.length === 1) file.writeUInt32LE(values[0] ?? 0, at + 8);
    else {
      file.writeUInt32LE(spill, at + 8);
      for (const value of values) spill = file.writeUInt32LE(value, spill);
    }
  }
  for (let pixel = 0; pixel < size * size; pixel++) file.writeUInt16LE(pixel % 1000, pixelsAt + pixel * 2);
  return file;
}
const pixelsAt = 1024;

/** An archive of the tiles of zoom 0 and 1, each of which holds its own coordinates as text. */
export function pmtilesOfAddresses(): Buffer {
  // In the order of the Hilbert curve that numbers tiles.
  const tiles = ['0/0/0', '1/0/0', '1/0/1', '1/1/1', '1/1/0'];
  const contents = tiles.map((coordinates) => Buffer.from(coordinates));
  const directory = Buffer.from([
    tiles.length,
    ...tiles.map((_, index) => (index === 0 ? 0 : 1)),
    ...tiles.map(() => 1),
    ...contents.map(({ length }) => length),
    // One behind the other, which 0 says.
    ...tiles.map((_, index) => (index === 0 ? 1 : 0)),
  ]);
  const metadata = Buffer.from('{}');
  const directoryAt = 127;
  const metadataAt = directoryAt + directory.length;
  // Past the first 16 KiB, which are read in one go.
  const tilesAt = 40_000;
  const header = Buffer.alloc(directoryAt);
  header.write('PMTiles');
  header[7] = 3;
  const places = [
    directoryAt,
    directory.length,
    metadataAt,
    metadata.length,
    0,
    0,
    tilesAt,
    Buffer.concat(contents).length,
  ];
  for (const [index, place] of [...places, tiles.length, tiles.length, tiles.length].entries()) {
    header.writeBigUInt64LE(BigInt(place), 8 + index * 8);
  }
  // Clustered; neither directories nor tiles compressed; of an unknown kind; zoom 0 to 1.
  header.set([1, 1, 1, 0, 0, 1], 96);
  const padding = Buffer.alloc(tilesAt - metadataAt - metadata.length);
  return Buffer.concat([header, directory, metadata, padding, ...contents]);
}

/** 10,000 heights that count from 0, in row groups of 1,000. */
export function parquetOfHeights(): Buffer {
  const count = Array.from({ length: 10_000 }, (_, index) => index);
  const columnData = [
    { name: 'height', data: count, type: 'INT32' as const },
    { name: 'station', data: count.map((index) => `station ${index}`), type: 'STRING' as const },
  ];
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 1000 }));
}
