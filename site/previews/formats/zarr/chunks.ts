import { Location, open, type Readable } from 'zarrita';
import type { BoundedRanges } from '../../reading/ranges.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { encodedBytesMax } from './codecs.ts';
import { type ArrayInfo, productOf } from './metadata.ts';

/** A decoded chunk. */
export interface Chunk {
  stride: readonly number[];
  valueAt(index: number): number;
}

export type ReadChunk = (position: number[]) => Promise<Chunk>;

/**
 * Returns a function that reads the chunk at a position of the grid. A chunk without a file contains only fill values.
 * Throws PreviewRefusal.
 */
export async function openChunks(file: BoundedRanges, array: ArrayInfo): Promise<ReadChunk> {
  const folder = array.path === '' ? '' : `${array.path}/`;
  const name = array.version === 2 ? '/.zarray' : '/zarr.json';
  const metadata = new TextEncoder().encode(JSON.stringify(withFillValue(array)));
  const bytesMax = encodedBytesMax(array.chunkBytes);
  const store: Readable = {
    async get(key) {
      if (key === name) return metadata;
      const end = Math.min(bytesMax, file.remaining().bytes) + 1;
      const bytes = await file.readNear(folder + key.slice(1), 0, end);
      if (bytes !== undefined && bytes.byteLength > bytesMax) throw new PreviewRefusal('damaged');
      return bytes;
    },
    async getRange(key, range) {
      const path = folder + key.slice(1);
      if (!('suffixLength' in range)) return file.readNear(path, range.offset, range.offset + range.length);
      const size = await file.sizeNear(path);
      return size === undefined ? undefined : file.readNear(path, Math.max(0, size - range.suffixLength), size);
    },
  };
  // Use the array's folder as the root of the store, because the library resolves paths like URLs.
  const location = new Location(store);
  const opened = await (array.version === 2
    ? open.v2(location, { kind: 'array', attrs: false })
    : open.v3(location, { kind: 'array' })
  ).catch(refuse);
  const elements = productOf(array.chunks);
  return async (position) => {
    // Each decoding step needs its own memory, so count every step.
    file.reserve(2 * array.chunkBytes);
    const { data, stride } = await opened.getChunk(position).catch(refuse);
    const values = data as ArrayLike<number | bigint> | { length: number; get(index: number): boolean };
    if (values.length < elements) throw new PreviewRefusal('damaged');
    const valueAt = 'get' in values ? (index: number) => values.get(index) : (index: number) => values[index];
    return { stride, valueAt: (index) => Number(valueAt(index)) };
  };
}

/** Unwraps the refusal from an error of the library. Any other error means that the array is damaged. */
function refuse(error: unknown): never {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof PreviewRefusal) throw inner;
  }
  throw new PreviewRefusal('damaged');
}

/**
 * Returns the metadata with a fill value that zarrita knows. In Zarr 3, it may be the bits of a number, such as
 * `0x7fc00000`.
 */
function withFillValue({ metadata }: ArrayInfo) {
  const { fill_value } = metadata;
  return { ...metadata, attributes: {}, fill_value: typeof fill_value === 'string' ? fillText(metadata) : fill_value };
}

/** Returns the number that fills missing chunks. Returns undefined if the metadata does not state it. */
export function fillValueOf({ metadata }: ArrayInfo): number | undefined {
  const { fill_value } = metadata;
  if (typeof fill_value === 'string') return Number(fillText(metadata));
  return typeof fill_value === 'number' ? fill_value : undefined;
}

function fillText({ fill_value, data_type }: ArrayInfo['metadata']): string | number {
  const text = String(fill_value);
  if (!/^0x[\da-f]{1,16}$/i.test(text)) return text;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setBigUint64(0, BigInt(text));
  const value = data_type === 'float64' ? bits.getFloat64(0) : bits.getFloat32(4);
  return Number.isFinite(value) && (data_type === 'float32' || data_type === 'float64') ? value : 'NaN';
}
