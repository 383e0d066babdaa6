import { crc32, deflateSync } from 'node:zlib';
import type { Country } from './borders.ts';
import { rasterOf } from './raster.ts';

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/**
 * Colours by country code, so that neighbours mostly differ. They are readable on light and dark backgrounds; the sea
 * is transparent.
 */
const lands: readonly Colour[] = [
  [44, 122, 141, 255],
  [74, 148, 164, 255],
  [108, 172, 184, 255],
  [58, 135, 152, 255],
  [90, 160, 174, 255],
];
const line: Colour = [230, 241, 243, 255];
const sea: Colour = [74, 148, 164, 0];

const pixelsPerDegree = 2;
/** From 84° north to 60° south. */
const [firstRow, endRow] = [6 * pixelsPerDegree, 150 * pixelsPerDegree];

/** Returns a PNG of the countries on a flat map. Each pixel is the mean of four. */
export function countriesPicture(countries: readonly Country[]): Uint8Array {
  const { width, pixels } = rasterOf(countries, 2 * pixelsPerDegree);
  const colourAt = (column: number, row: number): Colour => {
    const at = row * width + column;
    const code = pixels[at] ?? 0;
    if (code === 0) return sea;
    const differs = (next: number) => (pixels[next] ?? 0) !== 0 && pixels[next] !== code;
    return differs(at + 1) || differs(at + width) ? line : (lands[code % lands.length] ?? sea);
  };
  const columns = width / 2;
  const rows = Array.from({ length: endRow - firstRow }, (_, index) => {
    const row = 2 * (firstRow + index);
    const bytes = Buffer.alloc(1 + columns * 4);
    for (let column = 0; column < columns; column++) {
      const total = [0, 0, 0, 0];
      let shown = 0;
      for (let part = 0; part < 4; part++) {
        const colour = colourAt(2 * column + (part & 1), row + (part >> 1));
        if (colour === sea) continue;
        shown += 1;
        colour.forEach((value, at) => {
          total[at] = (total[at] ?? 0) + value;
        });
      }
      if (shown === 0) continue;
      const [red = 0, green = 0, blue = 0, alpha = 0] = total;
      bytes.set([red / shown, green / shown, blue / shown, alpha / 4], 1 + column * 4);
    }
    return bytes;
  });
  return writePng(columns, rows);
}

/** Writes eight bits each of red, green, blue and alpha. Each row begins with filter 0 (none). */
function writePng(width: number, rows: readonly Buffer[]): Uint8Array {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND')];
  return new Uint8Array(Buffer.concat(parts));
}

function chunk(type: string, content = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
