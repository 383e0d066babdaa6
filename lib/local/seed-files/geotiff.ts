import type { Country } from './borders.ts';
import { rasterOf } from './raster.ts';

const width = 360;
const height = 180;
const rowsPerStrip = 10;

/**
 * Returns a GeoTIFF with one pixel per degree from north-west: the numeric code of the country at its centre, 0 for
 * none.
 */
export function countriesGeotiff(countries: readonly Country[]): Uint8Array {
  return writeTiff(rasterOf(countries, 1).pixels);
}

type Field = [tag: number, type: keyof typeof bytesOf, values: readonly number[]];
const bytesOf = { short: 2, long: 4, double: 8 };
const numberOf = { short: 3, long: 4, double: 12 };

/** Writes a little-endian TIFF without compression, in strips, so that the reader of a window fetches a part. */
function writeTiff(pixels: Uint16Array): Uint8Array {
  const strips = height / rowsPerStrip;
  const stripBytes = rowsPerStrip * width * 2;
  const pixelsAt = 1024;
  const fields: Field[] = [
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', [16]], // bits per sample
    [259, 'short', [1]], // no compression
    [262, 'short', [1]], // 0 is black
    [273, 'long', Array.from({ length: strips }, (_, index) => pixelsAt + index * stripBytes)],
    [277, 'short', [1]], // samples per pixel
    [278, 'long', [rowsPerStrip]],
    [279, 'long', Array.from({ length: strips }, () => stripBytes)],
    [33550, 'double', [1, 1, 0]], // degrees per pixel
    [33922, 'double', [0, 0, 0, -180, 90, 0]], // position of the first pixel
    [34735, 'short', [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]], // EPSG:4326, pixels are areas
  ];
  const file = Buffer.alloc(pixelsAt + pixels.byteLength);
  file.write('II');
  file.writeUInt16LE(42, 2);
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(fields.length, 8);
  let spill = 10 + fields.length * 12 + 4;
  for (const [index, [tag, type, values]] of fields.entries()) {
    const at = 10 + index * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(numberOf[type], at + 2);
    file.writeUInt32LE(values.length, at + 4);
    const isShort = values.length * bytesOf[type] <= 4;
    if (!isShort) file.writeUInt32LE(spill, at + 8);
    let to = isShort ? at + 8 : spill;
    for (const value of values) {
      if (type === 'short') to = file.writeUInt16LE(value, to);
      else if (type === 'long') to = file.writeUInt32LE(value, to);
      else to = file.writeDoubleLE(value, to);
    }
    if (!isShort) spill = to;
  }
  for (const [index, pixel] of pixels.entries()) file.writeUInt16LE(pixel, pixelsAt + index * 2);
  return new Uint8Array(file);
}
