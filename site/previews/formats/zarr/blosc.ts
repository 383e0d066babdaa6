import { snappyUncompress } from 'hyparquet';
import { inflate, unlz4, unzstd } from '../../reading/decompress.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';

const headerBytes = 16;
const version = 2;
const flag = { byteShuffle: 0x01, stored: 0x02, bitShuffle: 0x04, oneStream: 0x10 };
/** Blosc divides a block into one stream for each byte of an element, if the elements are small and many. */
const streamsMax = 16;
const streamElementsMin = 128;

/** The compressors of Blosc, by their number in the header. */
const compressors: readonly (readonly [name: string, decode?: (bytes: Uint8Array, length: number) => Uint8Array])[] = [
  ['blosclz'],
  ['lz4', unlz4],
  [
    'snappy',
    (bytes, length) => {
      const out = new Uint8Array(length);
      snappyUncompress(bytes, out);
      return out;
    },
  ],
  ['zlib', inflate],
  ['zstd', unzstd],
];

/**
 * Decodes a buffer of Blosc 1. The npm packages for Blosc need WebAssembly, which the pages do not allow.
 *
 * The buffer has a header, the offsets of its blocks, and the blocks. A block consists of streams, which are compressed
 * separately. The bytes or bits of its elements may be shuffled.
 */
export function unblosc(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.byteLength < headerBytes) throw new PreviewRefusal('damaged');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [format = 0, , flags = 0, elementBytes = 0] = bytes;
  if (format !== version) throw new PreviewRefusal('codec', `blosc of format ${format}`);
  const [length, blockBytes] = [view.getUint32(4, true), view.getUint32(8, true)];
  if (length > bytesMax) throw new PreviewRefusal('too-large-inside');
  if (flags & flag.stored) return part(bytes, headerBytes, length);
  const [name, decode] = compressors[flags >> 5] ?? ['an unknown compressor'];
  if (decode === undefined) throw new PreviewRefusal('codec', `blosc with ${name}`);
  const blocks = Math.ceil(length / blockBytes);
  if (elementBytes === 0 || headerBytes + blocks * 4 > bytes.byteLength) throw new PreviewRefusal('damaged');
  const out = new Uint8Array(length);
  for (let block = 0; block < blocks; block += 1) {
    const start = block * blockBytes;
    const size = Math.min(blockBytes, length - start);
    const isDivided =
      !(flags & flag.oneStream) &&
      size === blockBytes &&
      elementBytes <= streamsMax &&
      blockBytes / elementBytes >= streamElementsMin;
    const streams = isDivided ? elementBytes : 1;
    const streamBytes = Math.floor(size / streams);
    const target = out.subarray(start, start + size);
    let from = view.getUint32(headerBytes + block * 4, true);
    for (let stream = 0; stream < streams; stream += 1) {
      if (from + 4 > bytes.byteLength) throw new PreviewRefusal('damaged');
      const compressed = part(bytes, from + 4, view.getUint32(from, true));
      const decoded = compressed.byteLength === streamBytes ? compressed : decode(compressed, streamBytes);
      if (decoded.byteLength !== streamBytes) throw new PreviewRefusal('damaged');
      target.set(decoded, stream * streamBytes);
      from += 4 + compressed.byteLength;
    }
    if (flags & flag.byteShuffle && elementBytes > 1) unshuffleBytes(target, elementBytes);
    else if (flags & flag.bitShuffle) unshuffleBits(target, elementBytes);
  }
  return out;
}

function part(bytes: Uint8Array, start: number, length: number): Uint8Array {
  if (start + length > bytes.byteLength) throw new PreviewRefusal('damaged');
  return bytes.subarray(start, start + length);
}

/** Reverses byte shuffling, which stores the first bytes of all elements first, then all second bytes, and so on. */
function unshuffleBytes(block: Uint8Array, elementBytes: number): void {
  const elements = Math.floor(block.byteLength / elementBytes);
  const shuffled = block.slice(0, elements * elementBytes);
  for (let byte = 0; byte < elementBytes; byte += 1) {
    const from = byte * elements;
    for (let element = 0; element < elements; element += 1) {
      block[element * elementBytes + byte] = shuffled[from + element] ?? 0;
    }
  }
}

/**
 * Reverses bit shuffling, which stores the first bits of all elements first. Blosc shuffles only blocks whose number of
 * elements is a multiple of eight.
 */
function unshuffleBits(block: Uint8Array, elementBytes: number): void {
  const elements = Math.floor(block.byteLength / elementBytes);
  if (elements % 8 !== 0) return;
  const shuffled = block.slice(0, elements * elementBytes);
  const rowBytes = elements / 8;
  for (let byte = 0; byte < elementBytes; byte += 1) {
    for (let group = 0; group < rowBytes; group += 1) {
      for (let element = 0; element < 8; element += 1) {
        let value = 0;
        for (let bit = 0; bit < 8; bit += 1) {
          value |= (((shuffled[(byte * 8 + bit) * rowBytes + group] ?? 0) >> element) & 1) << bit;
        }
        block[(group * 8 + element) * elementBytes + byte] = value;
      }
    }
  }
}
