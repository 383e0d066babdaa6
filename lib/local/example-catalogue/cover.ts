import { crc32, deflateSync } from 'node:zlib';

const [width, height] = [800, 280];
const shades = 12;

export interface Cover {
  /** The first and the last color of the picture, as red, green, and blue. */
  colors: readonly [from: Color, to: Color];
  /**
   * Returns a height for a point of the picture. Points with similar heights have the same shade, as on a map with
   * contour lines.
   */
  heightAt: (x: number, y: number) => number;
}
type Color = readonly [number, number, number];

/** Draws a picture in a few shades of one color, as a PNG file. `x` runs from 0 to 20, and `y` from 0 to 7. */
export function drawCover({ colors: [from, to], heightAt }: Cover): Buffer {
  const palette = Array.from({ length: shades }, (_, at) =>
    from.map((start, channel) => Math.round(start + ((to[channel] ?? 0) - start) * (at / (shades - 1)))),
  ).flat();
  // Each row of a PNG image begins with the number of a filter. The number 0 means no filter.
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const value = heightAt((column / width) * 20, (row / height) * 7);
      rows[row * (width + 1) + column + 1] = Math.floor((value - Math.floor(value)) * shades);
    }
  }
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  // Each pixel has 8 bits, the index of a color in the palette.
  size.set([8, 3, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk('IHDR', size), chunk('PLTE', Buffer.from(palette)), chunk('IDAT', deflateSync(rows))];
  return Buffer.concat([signature, ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
