import { PreviewRefusal } from '../../reading/refusal.ts';

export type Samples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

export interface SampleLayout {
  bits: number;
  /** 1 is unsigned, 2 signed, 3 floating point. */
  format: number;
  isLittle: boolean;
  /** 1 is none, 2 the difference from the previous pixel, 3 the difference of the bytes of floating-point numbers. */
  predictor: number;
  /** Pixels in a row; `samples` is the number of samples of each pixel. */
  width: number;
  samples: number;
}

const kinds: Readonly<Record<string, { name: string; make: (buffer: ArrayBuffer) => Samples }>> = {
  '1/8': { name: 'uint8', make: (buffer) => new Uint8Array(buffer) },
  '2/8': { name: 'int8', make: (buffer) => new Int8Array(buffer) },
  '1/16': { name: 'uint16', make: (buffer) => new Uint16Array(buffer) },
  '2/16': { name: 'int16', make: (buffer) => new Int16Array(buffer) },
  '1/32': { name: 'uint32', make: (buffer) => new Uint32Array(buffer) },
  '2/32': { name: 'int32', make: (buffer) => new Int32Array(buffer) },
  '3/32': { name: 'float32', make: (buffer) => new Float32Array(buffer) },
  '3/64': { name: 'float64', make: (buffer) => new Float64Array(buffer) },
};

/** Throws PreviewRefusal for an unsupported kind of sample. */
export function sampleKind(format: number, bits: number): string {
  const kind = kinds[`${format}/${bits}`];
  if (kind === undefined) throw new PreviewRefusal('samples', `${bits}`);
  return kind.name;
}

/** Returns the samples of decoded rows in this machine's byte order, with the predictor undone. */
export function readSamples(decoded: Uint8Array, layout: SampleLayout): Samples {
  const { bits, format, isLittle, predictor, width, samples } = layout;
  const bytes = decoded.slice();
  const rowBytes = (width * samples * bits) / 8;
  if (predictor === 3) undoFloatingPredictor(bytes, rowBytes, bits / 8, samples);
  else if (!isLittle && bits > 8) swapBytes(bytes, bits / 8);
  const values = kinds[`${format}/${bits}`]?.make(bytes.buffer);
  if (values === undefined) throw new PreviewRefusal('samples', `${bits}`);
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
      // The typed array wraps overflows at its width, as the writer did.
      values[at] = (values[at] ?? 0) + (values[at - samples] ?? 0);
    }
  }
}

/**
 * Undoes predictor 3. A row has the highest bytes of all numbers first, then the next bytes. Each byte is the
 * difference from the previous one.
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
