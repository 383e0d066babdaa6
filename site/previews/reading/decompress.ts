import { gunzipSync, unzlibSync } from 'fflate';
import { decompress as decompressZstandard } from 'fzstd';
import { PreviewRefusal } from './refusal.ts';

/**
 * These functions write into a buffer of fixed size, whatever size the compressed bytes claim. They throw if the buffer
 * is too small.
 */

export function gunzip(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return refuseFull(gunzipSync(bytes, { out: new Uint8Array(bytesMax + 1) }), bytesMax);
}

/** Decodes DEFLATE with a zlib header, as TIFF uses it. */
export function inflate(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return refuseFull(unzlibSync(bytes, { out: new Uint8Array(bytesMax + 1) }), bytesMax);
}

/** Decodes to exactly `length` bytes. */
export function unzstd(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  decompressZstandard(bytes, out);
  return out;
}

function refuseFull(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.byteLength > bytesMax) throw new PreviewRefusal('too-large-inside');
  return bytes;
}
