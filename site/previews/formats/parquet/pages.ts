import type { PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { PreviewRefusal } from '../../reading/refusal.ts';

/** The largest page that is decoded. A page cannot be decoded in part. */
export const pageBytesMax = 32 * 1024 * 1024;
const pageValuesMax = 2_000_000;
/** The limit of decoded bytes for encodings in which each value may repeat the whole previous value. */
const repeatingBytesMax = 256 * 1024 * 1024;

export interface WholePages {
  /** The number of bytes of the requested pages that are complete. */
  byteLength: number;
  /**
   * The number of rows in the complete pages. For a column with lists, the number of values, because only decoding
   * shows the number of rows.
   */
  rows: number;
}

/**
 * Finds the complete pages at the start of a column chunk. Checks each size in the page headers. Throws PreviewRefusal.
 *
 * @param check throws for a page that must not be decoded. It gets the header of the page as values and as bytes.
 */
export function findWholePages(
  beginning: Uint8Array,
  rowsWanted: number,
  check: (header: PageHeader, data: Uint8Array, headerBytes: Uint8Array) => void = () => undefined,
): WholePages {
  const view = new DataView(beginning.buffer, beginning.byteOffset, beginning.byteLength);
  let at = 0;
  let rows = 0;
  while (at < beginning.byteLength && rows < rowsWanted) {
    try {
      const headerEnd = endOfStruct(beginning, at);
      if (headerEnd === undefined) break;
      const header = parquetHeader({ view, offset: at });
      const { dataBytes, dataRows } = checkHeader(header);
      if (headerEnd + dataBytes > beginning.byteLength) break;
      const data = beginning.subarray(headerEnd, headerEnd + dataBytes);
      check(header, data, beginning.subarray(at, headerEnd));
      rows += dataRows;
      at = headerEnd + dataBytes;
    } catch (error) {
      // A damaged page ends the result, so that the rows before it can still be shown.
      if (rows === 0) throw error;
      break;
    }
  }
  return { byteLength: at, rows };
}

/** Checks the sizes in the header of a page. A dictionary page contains no rows. */
function checkHeader(header: PageHeader): { dataBytes: number; dataRows: number } {
  const { compressed_page_size: dataBytes, uncompressed_page_size: bytesInside } = header;
  if (!isCount(dataBytes) || !isCount(bytesInside)) throw new PreviewRefusal('damaged');
  if (bytesInside > pageBytesMax) throw new PreviewRefusal('too-large-inside');
  const data = header.data_page_header_v2 ?? header.data_page_header;
  const values = (data ?? header.dictionary_page_header)?.num_values ?? 0;
  if (!isCount(values)) throw new PreviewRefusal('damaged');
  const isRepeating = data?.encoding === 'DELTA_BYTE_ARRAY' && values * bytesInside > repeatingBytesMax;
  if (values > pageValuesMax || isRepeating) throw new PreviewRefusal('too-large-inside');
  return { dataBytes, dataRows: data === undefined ? 0 : (header.data_page_header_v2?.num_rows ?? values) };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

const depthMax = 24;
const valuesMax = 4_000_000;
const varintBytesMax = 10;

const type = { stop: 0, true: 1, false: 2, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, list: 9, struct: 12 };

/**
 * Finds the end of a struct in Thrift's compact protocol without building the struct.
 * The real parser reserves memory for the length that a list claims to have. This check first rejects a length that is
 * larger than the available bytes.
 *
 * @returns undefined if the bytes end before the struct does
 */
export function endOfStruct(bytes: Uint8Array, start: number): number | undefined {
  const reader = new ThriftReader(bytes, start);
  try {
    reader.skipStruct(0);
    return reader.at;
  } catch (error) {
    if (error instanceof Ended) return undefined;
    throw error;
  }
}

/** Thrown when the available bytes end inside a value. */
class Ended extends Error {}

class ThriftReader {
  at: number;
  readonly #bytes: Uint8Array;
  #values = 0;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.at = start;
  }

  skipStruct(depth: number): void {
    for (;;) {
      const head = this.#byte();
      if ((head & 0x0f) === type.stop) return;
      if (head >> 4 === 0) this.#varint();
      this.#skip(head & 0x0f, depth + 1);
    }
  }

  #skip(kind: number, depth: number): void {
    this.#values += 1;
    if (depth > depthMax || this.#values > valuesMax) throw new PreviewRefusal('damaged');
    if (kind === type.true || kind === type.false) return;
    if (kind === type.byte) this.#skipBytes(1);
    else if (kind === type.i16 || kind === type.i32 || kind === type.i64) this.#varint();
    else if (kind === type.double) this.#skipBytes(8);
    else if (kind === type.binary) this.#skipBytes(this.#varint());
    else if (kind === type.list) this.#skipList(depth);
    else if (kind === type.struct) this.skipStruct(depth);
    else throw new PreviewRefusal('damaged');
  }

  #skipList(depth: number): void {
    const head = this.#byte();
    const kind = head & 0x0f;
    const length = head >> 4 === 15 ? this.#varint() : head >> 4;
    // Each element takes at least one byte, so a length above the number of remaining bytes is false.
    if (length > this.#bytes.byteLength - this.at) throw new Ended();
    const isFlag = kind === type.true || kind === type.false;
    for (let index = 0; index < length; index += 1) this.#skip(isFlag ? type.byte : kind, depth + 1);
  }

  #byte(): number {
    const value = this.#bytes[this.at];
    if (value === undefined) throw new Ended();
    this.at += 1;
    return value;
  }

  #varint(): number {
    let value = 0;
    for (let count = 0; count < varintBytesMax; count += 1) {
      const next = this.#byte();
      // The decoded number is exact only up to 2^53. No real length is larger.
      value += (next & 0x7f) * 2 ** (7 * count);
      if (next < 0x80) return value;
    }
    throw new PreviewRefusal('damaged');
  }

  #skipBytes(count: number): void {
    if (count > this.#bytes.byteLength - this.at) throw new Ended();
    this.at += count;
  }
}
