import { Gunzip, Unzlib } from 'fflate';
import { decompress as decompressZstandard } from 'fzstd';
import { concat } from './concat.ts';
import { PreviewRefusal } from './refusal.ts';

/**
 * The functions of this module never produce much more than the given number of bytes, whatever size the compressed
 * data claims. They throw for larger content, so that a malicious file cannot exhaust memory or time.
 */

export function gunzip(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return unpack(bytes, bytesMax, (take) => new Gunzip(take));
}

/** Decodes DEFLATE data with a zlib header, the form that TIFF files contain. */
export function inflate(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return unpack(bytes, bytesMax, (take) => new Unzlib(take));
}

/** Decodes Zstandard data to exactly `length` bytes. */
export function unzstd(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  decompressZstandard(bytes, out);
  return out;
}

/**
 * Decodes an LZ4 block to exactly `length` bytes. The block consists of runs of literal bytes, each followed by a copy
 * of earlier output.
 */
export function unlz4(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let from = 0;
  let to = 0;
  const extended = (count: number) => {
    let total = count;
    if (count === 15) {
      for (let next = 255; next === 255; total += next) {
        next = bytes[from++] ?? 0;
      }
    }
    return total;
  };
  while (from < bytes.length) {
    const token = bytes[from++] ?? 0;
    const literals = extended(token >> 4);
    if (from + literals > bytes.length || to + literals > length) throw new PreviewRefusal('damaged');
    out.set(bytes.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from >= bytes.length) break;
    const distance = (bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8);
    from += 2;
    const copied = extended(token & 15) + 4;
    if (distance === 0 || distance > to || to + copied > length) throw new PreviewRefusal('damaged');
    for (const end = to + copied; to < end; to += 1) out[to] = out[to - distance] ?? 0;
  }
  if (to !== length) throw new PreviewRefusal('damaged');
  return out;
}

/** The number of compressed bytes that are decoded at once. Their decoded size is at most 4 MB. */
const stepBytes = 4096;

type Create = (take: (part: Uint8Array) => void) => { push(bytes: Uint8Array, isLast: boolean): void };

function unpack(bytes: Uint8Array, bytesMax: number, create: Create): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = create((part) => {
    length += part.byteLength;
    if (length > bytesMax) throw new PreviewRefusal('too-large-inside');
    parts.push(part);
  });
  for (let at = 0; at < bytes.byteLength; at += stepBytes) {
    stream.push(bytes.subarray(at, at + stepBytes), at + stepBytes >= bytes.byteLength);
  }
  return concat(parts);
}
