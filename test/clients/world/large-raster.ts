import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { seededBytes } from '../../service/seeded-random.ts';

const width = 16_384;
const rowsPerStrip = 64;
const stripBytes = width * rowsPerStrip;
const short = 3;
const long = 4;

/**
 * Writes an uncompressed TIFF of one band whose pixels are random, a strip of 1 MiB after the other, so that parts that
 * were lost or swapped are seen by every reader.
 *
 * @param mebibytes of pixels; 2 or more, since the header of a single strip has another form
 * @returns the SHA-256 of the file in hex
 */
export async function writeLargeRaster(file: string, mebibytes: number): Promise<string> {
  const hash = createHash('sha256');
  const out = createWriteStream(file);
  const write = async (bytes: Buffer) => {
    hash.update(bytes);
    if (!out.write(bytes)) await once(out, 'drain');
  };
  await write(header(mebibytes));
  for (let strip = 0; strip < mebibytes; strip += 1) await write(seededBytes(stripBytes, `strip ${strip}`));
  out.end();
  await once(out, 'close');
  return hash.digest('hex');
}

function header(strips: number): Buffer {
  const fields: [tag: number, type: number, values: number | 'offsets' | 'sizes'][] = [
    [256, long, width],
    [257, long, rowsPerStrip * strips],
    [258, short, 8],
    [259, short, 1],
    [262, short, 1],
    [273, long, 'offsets'],
    [277, short, 1],
    [278, long, rowsPerStrip],
    [279, long, 'sizes'],
  ];
  const lists = { offsets: 8 + 2 + fields.length * 12 + 4, sizes: 0 };
  lists.sizes = lists.offsets + strips * 4;
  const bytes = Buffer.alloc(lists.sizes + strips * 4);
  bytes.write('II');
  bytes.writeUInt16LE(42, 2);
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(fields.length, 8);
  for (const [index, [tag, type, value]] of fields.entries()) {
    const at = 10 + index * 12;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(typeof value === 'number' ? 1 : strips, at + 4);
    bytes.writeUInt32LE(typeof value === 'number' ? value : lists[value], at + 8);
  }
  for (let strip = 0; strip < strips; strip += 1) {
    bytes.writeUInt32LE(bytes.length + strip * stripBytes, lists.offsets + strip * 4);
    bytes.writeUInt32LE(stripBytes, lists.sizes + strip * 4);
  }
  return bytes;
}
