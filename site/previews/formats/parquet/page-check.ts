import type { CompressionCodec, PageHeader, SchemaTree } from 'hyparquet';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { concat } from '../../reading/concat.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { codecs } from './codecs.ts';

/** How a column stores its values. */
export interface ColumnCoding {
  codec: CompressionCodec;
  /** The schema from its root to the column. */
  path: SchemaTree[];
}

interface FooterColumn {
  field_3?: { field_3?: Uint8Array[]; field_12?: Record<string, unknown> };
}

interface Footer {
  field_2?: { field_4?: Uint8Array; field_6?: number }[];
  field_4?: { field_1?: FooterColumn[] }[];
}

const convertedDecimal = 5;

/** Throws PreviewRefusal if the statistics in the footer contain decimals that would take the parser too long. */
export function checkDecimals(footer: Uint8Array): void {
  const view = new DataView(footer.buffer, footer.byteOffset, footer.byteLength);
  // The field names are the field IDs in Parquet's Thrift definition.
  const { field_2: schema = [], field_4: groups = [] } = deserializeTCompactProtocol({ view, offset: 0 }) as Footer;
  const decimals = schema.filter(({ field_6: converted }) => converted === convertedDecimal);
  if (decimals.length === 0) return;
  const names = new Set(decimals.map(({ field_4: name }) => String(name)));
  for (const { field_1: columns = [] } of groups) {
    for (const { field_3: meta } of columns) {
      if (!names.has(String(meta?.field_3?.at(-1)))) continue;
      for (const value of Object.values(meta?.field_12 ?? {})) {
        if (value instanceof Uint8Array && value.byteLength > decimalBytesMax) damaged();
      }
    }
  }
}

/** The bytes of memory for a decoded number with its copies, and for a decoded byte array. */
const [valueBytes, binaryBytes] = [32, 128];
/**
 * Zstandard takes several times as long as other codecs. Count its memory several times, so that the memory limit also
 * bounds its time.
 */
const zstandardFactor = 4;

/** Returns the memory in bytes that a page needs to be decoded. */
export function memoryOfPage(header: PageHeader, { codec, path }: ColumnCoding): number {
  const data = header.data_page_header_v2 ?? header.data_page_header;
  const values = (data ?? header.dictionary_page_header)?.num_values ?? 0;
  const isBinary =
    path.at(-1)?.element.type?.endsWith('BYTE_ARRAY') === true && !data?.encoding?.endsWith('DICTIONARY');
  const bytesInside = header.uncompressed_page_size * (codec === 'ZSTD' ? zstandardFactor : 1);
  return bytesInside + values * (isBinary ? binaryBytes : valueBytes);
}

/** The maximum number of bytes of a decimal. The parser's time grows with the square of the number of digits. */
const decimalBytesMax = 64;
const blockValuesMax = 2 ** 20;
/** Writers may round up the length of the last run. */
const roundedUp = 64;

/**
 * Decompresses a page, and checks the lengths that its data states. The parser repeats a value as often as a run says,
 * and reserves memory for as many blocks as the data claims to have. Throws PreviewRefusal.
 *
 * @param data the page without its header, as it is in the file
 */
export function decompressPage(header: PageHeader, data: Uint8Array, { codec, path }: ColumnCoding): Uint8Array {
  const element = path.at(-1)?.element;
  const isDecimal = element?.converted_type === 'DECIMAL' || element?.logical_type?.type === 'DECIMAL';
  if (isDecimal && element?.type === 'FIXED_LEN_BYTE_ARRAY' && (element.type_length ?? 0) > decimalBytesMax) damaged();
  const decompress = (bytes: Uint8Array, length: number) => {
    const unpack = codec === 'UNCOMPRESSED' ? undefined : codecs[codec];
    return unpack === undefined ? bytes : unpack(bytes, length);
  };
  const { data_page_header: first, data_page_header_v2: second, dictionary_page_header: dictionary } = header;
  const levels = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  let decompressed: Uint8Array;
  let cursor: Cursor;
  let encoding: string | undefined = 'PLAIN';
  if (second !== undefined) {
    const lengths = [second.repetition_levels_byte_length, second.definition_levels_byte_length];
    const [repetition = 0, definition = 0] = lengths;
    const isInside = lengths.every((length) => length >= 0) && repetition + definition <= data.byteLength;
    if (!isInside || !(second.num_nulls >= 0 && second.num_nulls <= second.num_values)) damaged();
    new Cursor(data.subarray(0, repetition)).skipRuns(bitsOf(levels[0]), second.num_values);
    new Cursor(data.subarray(repetition, repetition + definition)).skipRuns(bitsOf(levels[1]), second.num_values);
    const at = repetition + definition;
    const rest = data.subarray(at);
    const isCompressed = second.is_compressed !== false;
    const values = isCompressed ? decompress(rest, header.uncompressed_page_size - at) : rest;
    decompressed = at === 0 ? values : concat([data.subarray(0, at), values]);
    cursor = new Cursor(values);
    encoding = second.encoding;
  } else {
    decompressed = decompress(data, header.uncompressed_page_size);
    cursor = new Cursor(decompressed);
    if (first !== undefined) encoding = first.encoding;
    for (const level of first === undefined ? [] : levels) {
      if (level === 0) continue;
      const length = cursor.uint32();
      new Cursor(cursor.take(length)).skipRuns(bitsOf(level), first?.num_values ?? 0);
    }
  }
  const count = (second ?? first ?? dictionary)?.num_values ?? 0;
  if (encoding?.endsWith('DICTIONARY') || encoding === 'RLE') {
    const isTruth = second === undefined ? element?.type === 'BOOLEAN' : encoding === 'RLE';
    const bits = isTruth ? 1 : cursor.byte();
    // The number of bytes that the encoded runs take.
    if (isTruth) cursor.uint32();
    if (bits > 0 || second !== undefined) cursor.skipRuns(bits, count);
  } else if (encoding?.startsWith('DELTA')) {
    cursor.skipDifferences(count);
    if (encoding === 'DELTA_BYTE_ARRAY') cursor.skipDifferences(count);
  } else if (encoding === 'PLAIN' && isDecimal && element?.type === 'BYTE_ARRAY') {
    while (!cursor.isAtEnd) {
      const length = cursor.uint32();
      if (length > decimalBytesMax) damaged();
      cursor.take(length);
    }
  } else if (encoding === 'BYTE_STREAM_SPLIT' && (element?.type_length ?? 0) * count > cursor.length) damaged();
  return decompressed;
}

/**
 * Returns the page header for data that is already decompressed. The first three fields of a header are integers: the
 * type, and the sizes of the page with and without compression. Throws PreviewRefusal for a header in another order.
 */
export function headerOfDecompressed(header: Uint8Array, size: number): Uint8Array {
  const integerField = 0x15;
  let [start, end] = [0, 0];
  for (let field = 0; field < 3; field += 1) {
    if (header[end] !== integerField) damaged();
    start = end + 1;
    for (end = start; (header[end] ?? 0) >= 0x80; ) end += 1;
    end += 1;
  }
  const integer: number[] = [];
  // Thrift encodes n as 2n, with seven bits in each byte.
  let rest = size * 2;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) integer.push((rest % 0x80) | 0x80);
  return concat([header.subarray(0, start), Uint8Array.from([...integer, rest]), header.subarray(end)]);
}

function bitsOf(level = 0): number {
  return 32 - Math.clz32(level);
}

function damaged(): never {
  throw new PreviewRefusal('damaged');
}

/** Reads encoded values. After the last byte it returns zeros, because the parser itself rejects missing bytes. */
class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.byteLength;
  }

  get length(): number {
    return this.#bytes.byteLength;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  uint32(): number {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16 + this.byte() * 2 ** 24;
  }

  take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  varint(bytesMax: number): number {
    let value = 0;
    for (let count = 0; count < bytesMax; count += 1) {
      const next = this.byte();
      value += (next & 0x7f) * 2 ** (7 * count);
      if (next < 0x80) return value;
    }
    return damaged();
  }

  /** Skips repeated and bit-packed runs. */
  skipRuns(bits: number, values: number): void {
    for (let seen = 0; seen < values && !this.isAtEnd; ) {
      const head = this.varint(5);
      const isPacked = head % 2 === 1;
      const count = isPacked ? (head - 1) * 4 : head / 2;
      if (count > values - seen + roundedUp && (!isPacked || bits === 0)) damaged();
      this.#at += isPacked ? (count * bits) / 8 : Math.ceil(bits / 8);
      seen += count;
    }
  }

  /** Skips delta-encoded blocks. */
  skipDifferences(values: number): void {
    const [size, parts] = [this.varint(5), this.varint(5)];
    this.varint(5);
    this.varint(10);
    if (!(parts > 0 && size >= parts && size <= blockValuesMax && size % parts === 0)) damaged();
    for (let seen = 1; seen < values && !this.isAtEnd; seen += size) {
      this.varint(10);
      const widths = this.take(parts);
      for (let part = 0; part < parts && seen + part * (size / parts) < values; part += 1) {
        this.#at += Math.ceil(((widths[part] ?? 0) * size) / parts / 8);
      }
    }
  }
}
