import { inflate, unzstd } from '../../reading/decompress.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';

/** Names of compression methods by their number in TIFF. */
const names: Readonly<Record<number, string>> = {
  1: 'none',
  5: 'LZW',
  7: 'JPEG',
  8: 'Deflate',
  32773: 'PackBits',
  32946: 'Deflate',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  50000: 'Zstandard',
  50001: 'WebP',
  50002: 'JPEG XL',
};

export function compressionName(compression: number): string {
  return names[compression] ?? String(compression);
}

/** Decodes a tile to exactly `length` bytes. Never produces more, whatever the tile contains. Throws PreviewRefusal. */
export function decodeTile(bytes: Uint8Array, compression: number, length: number): Uint8Array {
  switch (compression) {
    case 1:
      return fitted(bytes, length);
    case 5:
      return unlzw(bytes, length);
    case 8:
    case 32946:
      return fitted(inflate(bytes, length + 4096), length);
    case 32773:
      return unpackBits(bytes, length);
    case 50000:
      return unzstd(bytes, length);
    default:
      throw new PreviewRefusal('compression', compressionName(compression));
  }
}

function fitted(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.byteLength >= length) return bytes.subarray(0, length);
  const out = new Uint8Array(length);
  out.set(bytes);
  return out;
}

function unpackBits(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let to = 0;
  for (let at = 0; at < bytes.length && to < length; ) {
    const head = ((bytes[at++] ?? 0) << 24) >> 24;
    if (head >= 0) {
      const literal = bytes.subarray(at, at + Math.min(head + 1, length - to));
      out.set(literal, to);
      at += head + 1;
      to += head + 1;
    } else if (head !== -128) {
      out.fill(bytes[at++] ?? 0, to, to - head + 1);
      to += 1 - head;
    }
  }
  return out;
}

const clearCode = 256;
const endCode = 257;

/**
 * Decodes LZW in the variant of TIFF. Codes have 9 to 12 bits, highest bit first. The code width increases one code
 * earlier than in other variants.
 */
function unlzw(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  // For each LZW code: the position of its bytes in the output, and their number.
  const starts = new Uint32Array(4097);
  const lengths = new Uint32Array(4097);
  let [next, width, to, previous] = [258, 9, 0, -1];
  let [bits, held] = [0, 0];
  for (let at = 0; to < length; ) {
    while (held < width && at < bytes.length) {
      bits = ((bits << 8) | (bytes[at++] ?? 0)) & 0xffffff;
      held += 8;
    }
    if (held < width) break;
    const code = (bits >> (held - width)) & ((1 << width) - 1);
    held -= width;
    if (code === endCode) break;
    if (code === clearCode) {
      [next, width, previous] = [258, 9, -1];
      continue;
    }
    const start = to;
    if (code < clearCode) out[to++] = code;
    else {
      if (code > next || previous === -1 || (code === next && previous === -1)) throw new PreviewRefusal('damaged');
      const isNew = code === next;
      const from = isNew ? previous : (starts[code] ?? 0);
      const count = isNew ? to - previous + 1 : (lengths[code] ?? 0);
      for (let index = 0; index < count && to < length; index += 1) out[to++] = out[from + index] ?? 0;
    }
    if (previous !== -1 && next < 4096) {
      // A new LZW code means the bytes of the previous code plus the first byte of the current code. These bytes are
      // adjacent in the output, so their position is enough.
      starts[next] = previous;
      lengths[next] = start - previous + 1;
      next += 1;
    }
    previous = start;
    if (next + 1 >= 1 << width && width < 12) width += 1;
  }
  return out;
}

/** The array types of samples, by sample format and number of bits. */
const kinds = {
  '1/8': Uint8Array,
  '2/8': Int8Array,
  '1/16': Uint16Array,
  '2/16': Int16Array,
  '1/32': Uint32Array,
  '2/32': Int32Array,
  '3/32': Float32Array,
  '3/64': Float64Array,
};

export type Samples = InstanceType<(typeof kinds)[keyof typeof kinds]>;

export interface SampleLayout {
  bits: number;
  /** The sample format: 1 is unsigned, 2 is signed, 3 is floating point. */
  format: number;
  isLittle: boolean;
  /**
   * The TIFF predictor. 1: none. 2: each sample is the difference from the previous pixel. 3: floating-point numbers
   * are split into bytes, and each byte is a difference.
   */
  predictor: number;
  /** The number of pixels in a row. `samples` is the number of samples of each pixel. */
  width: number;
  samples: number;
}

/** Returns the array type of a sample. Throws PreviewRefusal for an unsupported type. */
function kindOf(format: number, bits: number) {
  const kind = kinds[`${format}/${bits}` as keyof typeof kinds];
  if (kind === undefined) throw new PreviewRefusal('samples', `${bits}`);
  return kind;
}

/** Returns the name of a sample type, such as `uint8`. Throws PreviewRefusal for an unsupported type. */
export function sampleKind(format: number, bits: number): string {
  return kindOf(format, bits).name.replace('Array', '').toLowerCase();
}

/** Returns the samples of decoded rows in this machine's byte order, and reverses the predictor. */
export function readSamples(decoded: Uint8Array, layout: SampleLayout): Samples {
  const { bits, format, isLittle, predictor, width, samples } = layout;
  const bytes = decoded.slice();
  const rowBytes = (width * samples * bits) / 8;
  if (predictor === 3) undoFloatingPredictor(bytes, rowBytes, bits / 8, samples);
  else if (!isLittle && bits > 8) swapBytes(bytes, bits / 8);
  const values = new (kindOf(format, bits))(bytes.buffer);
  if (predictor === 2) undoDifferences(values, width * samples, samples);
  else if (predictor !== 1 && predictor !== 3) throw new PreviewRefusal('damaged');
  return values;
}

function swapBytes(bytes: Uint8Array, width: number): void {
  for (let at = 0; at + width <= bytes.length; at += width) bytes.subarray(at, at + width).reverse();
}

function undoDifferences(values: Samples, rowLength: number, samples: number): void {
  for (let row = 0; row + rowLength <= values.length; row += rowLength) {
    for (let at = row + samples; at < row + rowLength; at += 1) {
      // The sum of a sample and its difference may overflow. The typed array wraps it, as the writer of the file did.
      values[at] = (values[at] ?? 0) + (values[at - samples] ?? 0);
    }
  }
}

/**
 * Reverses TIFF predictor 3. A row contains the differences of the highest bytes of all samples, then those of the next
 * lower bytes, and so on.
 */
function undoFloatingPredictor(bytes: Uint8Array, rowBytes: number, width: number, samples: number): void {
  const count = rowBytes / width;
  for (let row = 0; row + rowBytes <= bytes.length; row += rowBytes) {
    const line = bytes.subarray(row, row + rowBytes);
    for (let at = samples; at < rowBytes; at += 1) line[at] = (line[at] ?? 0) + (line[at - samples] ?? 0);
    const planes = line.slice();
    for (let index = 0; index < count; index += 1) {
      for (let byte = 0; byte < width; byte += 1)
        line[index * width + width - 1 - byte] = planes[byte * count + index] ?? 0;
    }
  }
}
