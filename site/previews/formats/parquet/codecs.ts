import { type CompressionCodec, type Compressors, snappyUncompress } from 'hyparquet';
import { gunzip, unlz4, unzstd } from '../../reading/decompress.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { pageBytesMax } from './pages.ts';

/**
 * The supported compression codecs. They need no WebAssembly, which the Content Security Policy blocks, and their
 * scripts are small.
 */
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
