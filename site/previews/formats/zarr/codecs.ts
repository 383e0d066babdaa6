import { type DataType, registry } from 'zarrita';
import { gunzip, inflate, unlz4, unzstd } from '../../reading/decompress.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { unblosc } from './blosc.ts';

/** The maximum size of a decoded chunk in memory. */
export const chunkBytesMax = 64 * 1024 * 1024;

const elementBytes = new Map(
  Object.entries({
    ...{ bool: 1, int8: 1, uint8: 1, int16: 2, uint16: 2, int32: 4, uint32: 4, int64: 8, uint64: 8 },
    ...{ float16: 2, float32: 4, float64: 8 },
  }),
);

/** Returns the size of an element. Returns undefined for a type that the preview does not support. */
export function elementBytesOf(dataType: string): number | undefined {
  return elementBytes.get(dataType);
}

type Decode = (bytes: Uint8Array, chunkBytes: number) => Uint8Array;

/**
 * The compressors that need our own decoder, because their usual packages need WebAssembly or write without a size
 * limit.
 */
const compressors: Readonly<Record<string, Decode>> = {
  blosc: (bytes, chunkBytes) => unblosc(bytes, encodedBytesMax(chunkBytes)),
  gzip: (bytes, chunkBytes) => gunzip(bytes, encodedBytesMax(chunkBytes)),
  zlib: (bytes, chunkBytes) => inflate(bytes, encodedBytesMax(chunkBytes)),
  zstd: unzstd,
  // The first four bytes contain the length of the decoded block.
  lz4: (bytes, chunkBytes) => unlz4(bytes.subarray(4), chunkBytes),
};

/** The codecs that zarrita decodes within the size of a chunk. */
const ofLibrary = ['bytes', 'transpose', 'crc32c', 'delta', 'shuffle', 'bitround', 'cast_value', 'scale_offset'];

/**
 * Returns the maximum size of a chunk before the last decoding step. Compression makes random bytes slightly longer.
 */
export function encodedBytesMax(chunkBytes: number): number {
  return chunkBytes + Math.ceil(chunkBytes / 64) + 4096;
}

/** Returns true if the preview decodes a codec. Its name may have the prefix that Zarr 3 gives to codecs of Zarr 2. */
export function isReadableCodec(name: string): boolean {
  const own = name.replace(/^numcodecs\./, '');
  return Object.hasOwn(compressors, own) || ofLibrary.includes(own);
}

interface ChunkType {
  dataType: DataType;
  shape: readonly number[];
}

for (const [name, decode] of Object.entries(compressors)) {
  const entry = {
    fromConfig: (_: unknown, { dataType, shape }: ChunkType) => {
      const chunkBytes = shape.reduce((product, length) => product * length, elementBytesOf(dataType) ?? Infinity);
      return {
        kind: 'bytes_to_bytes' as const,
        encode: () => {
          throw new Error('previews only read');
        },
        decode: (bytes: Uint8Array) => {
          if (!(chunkBytes <= chunkBytesMax)) throw new PreviewRefusal('too-large-inside');
          return decode(bytes, chunkBytes);
        },
      };
    },
  };
  registry.set(name, async () => entry);
  registry.set(`numcodecs.${name}`, async () => entry);
}
