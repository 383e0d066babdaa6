import { Gunzip, Unzlib } from 'fflate';
import { decompress as decompressZstandard } from 'fzstd';
import { concat } from './concat.ts';
import { PreviewRefusal } from './refusal.ts';

/**
 * The functions of this module never produce much more than the given number of bytes, whatever size the compressed
 * data claims to have. They throw for larger content, so a malicious file can exhaust neither memory nor time.
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

/** The number of compressed bytes that are decoded at once. They become at most 4 MB. */
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
