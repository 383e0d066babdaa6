import { gunzipSync, unzlibSync } from 'fflate';
import { decompress as decompressZstandard } from 'fzstd';
import { PreviewRefusal } from './refusal.ts';

/**
 * The functions of this module write into a buffer of fixed size, whatever size the compressed data claims to have.
 * They throw if the buffer is too small, so a malicious file cannot exhaust the memory.
 */

export function gunzip(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return refuseFull(gunzipSync(bytes, { out: new Uint8Array(bytesMax + 1) }), bytesMax);
}

/** Decodes DEFLATE data with a zlib header, the form that TIFF files contain. */
export function inflate(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return refuseFull(unzlibSync(bytes, { out: new Uint8Array(bytesMax + 1) }), bytesMax);
}

/** Decodes Zstandard data to exactly `length` bytes. */
export function unzstd(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  decompressZstandard(bytes, out);
  return out;
}

function refuseFull(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.byteLength > bytesMax) throw new PreviewRefusal('too-large-inside');
  return bytes;
}
