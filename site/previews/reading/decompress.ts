import { gunzipSync, unzlibSync } from 'fflate';
import { decompress as decompressZstandard } from 'fzstd';
import { PreviewRefusal } from './refusal.ts';

/** Each writes into as much memory as it is given, whatever the compressed bytes claim, and throws where that is not enough. */

export function gunzip(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return refuseFull(gunzipSync(bytes, { out: new Uint8Array(bytesMax + 1) }), bytesMax);
}

/** DEFLATE with the header of zlib, as TIFF has it. */
export function inflate(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return refuseFull(unzlibSync(bytes, { out: new Uint8Array(bytesMax + 1) }), bytesMax);
}

/** Into exactly as many bytes as are told. */
export function unzstd(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  decompressZstandard(bytes, out);
  return out;
}

function refuseFull(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.byteLength > bytesMax) throw new PreviewRefusal('too-large-inside');
  return bytes;
}
