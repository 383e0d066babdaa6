import { type CompressionCodec, type Compressors, snappyUncompress } from 'hyparquet';
import { gunzip, unzstd } from '../../reading/decompress.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { pageBytesMax } from './pages.ts';

/** The supported compression codecs. They need no WebAssembly and little script. */
export const codecs: Compressors = {
  SNAPPY: bounded((bytes, length) => {
    const out = new Uint8Array(length);
    snappyUncompress(bytes, out);
    return out;
  }),
  GZIP: bounded(gunzip),
  ZSTD: bounded(unzstd),
  LZ4_RAW: bounded(unlz4),
};

export function isReadable(codec: CompressionCodec): boolean {
  return codec === 'UNCOMPRESSED' || Object.hasOwn(codecs, codec);
}

type Decompress = (bytes: Uint8Array, length: number) => Uint8Array;

function bounded(decompress: Decompress): Decompress {
  return (bytes, length) => {
    if (!(length >= 0 && length <= pageBytesMax)) throw new PreviewRefusal('too-large-inside');
    return decompress(bytes, length);
  };
}

/** Decodes an LZ4 block. It consists of runs of literal bytes, each followed by a copy of earlier output. */
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
  return out;
}
