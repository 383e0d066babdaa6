import { type CompressionCodec, type FileMetaData, parquetMetadata } from 'hyparquet';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';
import type { SparseFile } from '../../service/sparse-object.ts';
import { varint } from './pmtiles-files.ts';

export interface ColumnValues {
  name: string;
  data: unknown[];
  type?: BasicType;
}

export function parquetOf(columnData: ColumnValues[], options: { rowGroupSize?: number } = {}): Uint8Array {
  return new Uint8Array(parquetWriteBuffer({ columnData, ...options }));
}

/** Returns the same data with a changed footer. */
export function withFooter(file: Uint8Array, change: (metadata: FileMetaData) => void): Uint8Array {
  const metadata = parquetMetadata(file);
  const dataEnd = file.byteLength - metadata.metadata_length - 8;
  change(metadata);
  return Buffer.concat([file.subarray(0, dataEnd), footerOf(metadata)]);
}

export function footerOf(metadata: FileMetaData): Uint8Array {
  const writer = new ByteWriter();
  writeMetadata(writer, metadata);
  return Buffer.concat([new Uint8Array(writer.getBuffer()), Buffer.from('PAR1')]);
}

/**
 * Builds a file whose footer of 200 kB describes 10 GB in four columns of 2.5 GB each. Only the first page of each
 * column exists.
 */
export function largeParquet(): SparseFile {
  const columnBytes = 2_500_000_000;
  const count = Array.from({ length: 1000 }, (_, index) => index);
  const file = parquetOf([
    { name: 'station', data: count.map((index) => `gauge-${index % 7}`) },
    { name: 'height', data: count.map((index) => index / 8), type: 'DOUBLE' },
    { name: 'flag', data: count.map((index) => index % 2 === 0), type: 'BOOLEAN' },
    { name: 'note <script>', data: count.map((index) => `<img src=x onerror=alert(${index})>`) },
  ]);
  const metadata = parquetMetadata(file);
  const parts: SparseFile['parts'] = [];
  const [group] = metadata.row_groups;
  for (const [index, { meta_data: column }] of (group?.columns ?? []).entries()) {
    if (column === undefined) continue;
    const start = Number(column.dictionary_page_offset || column.data_page_offset);
    const at = 4 + index * columnBytes;
    parts.push({ at, bytes: file.subarray(start, start + Number(column.total_compressed_size)) });
    const moved = BigInt(at - start);
    column.data_page_offset += moved;
    if (column.dictionary_page_offset) column.dictionary_page_offset += moved;
    column.total_compressed_size = BigInt(columnBytes);
    column.num_values = 1_250_000_000n;
  }
  if (group !== undefined) group.num_rows = 1_250_000_000n;
  metadata.num_rows = 1_250_000_000n;
  metadata.key_value_metadata = [{ key: 'history', value: 'x'.repeat(200_000) }];
  const footer = footerOf(metadata);
  parts.push({ at: 4 + 4 * columnBytes, bytes: footer });
  return { byteLength: 4 + 4 * columnBytes + footer.byteLength, parts };
}

/** A page of a column: its header as values of Thrift, and its data as stored. */
export interface Page {
  encoding: 'plain' | 'dictionary' | 'delta' | 'deltaTexts';
  values: number;
  data: Uint8Array;
  /** The stated size of the data after decompression. The default is uncompressed data. */
  bytesInside?: number;
  isDictionary?: boolean;
}

const encodings = { plain: 0, delta: 5, deltaTexts: 7, dictionary: 8 };

/** Returns a page with its header, as bytes. */
function pageOf({ encoding, values, data, bytesInside = data.byteLength, isDictionary = false }: Page): Uint8Array {
  const integer = (value: number) => [0x15, ...zigzag(value)];
  const levels = isDictionary ? [] : [...integer(3), ...integer(3)];
  const inner = [...integer(values), ...integer(encodings[encoding]), ...levels, 0];
  const sizes = [...integer(bytesInside), ...integer(data.byteLength)];
  const header = [...integer(isDictionary ? 2 : 0), ...sizes, isDictionary ? 0x4c : 0x2c, ...inner, 0];
  return Buffer.concat([Uint8Array.from(header), data]);
}

interface PagedColumn {
  pages: readonly Page[];
  type?: 'INT32' | 'INT64' | 'BYTE_ARRAY';
  codec?: CompressionCodec;
  rows: number;
  /** The number of columns that consist of these pages. */
  columns?: number;
  /** True if each page of data begins with levels, which say which values are present. */
  isOptional?: boolean;
  change?: (metadata: FileMetaData) => void;
}

/** Builds a file whose columns consist of the given pages, whatever these contain. */
export function parquetOfPages({
  pages,
  type = 'INT32',
  codec = 'UNCOMPRESSED',
  rows,
  columns = 1,
  isOptional = false,
  change,
}: PagedColumn): Uint8Array {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  const value = type === 'BYTE_ARRAY' ? 'a' : type === 'INT64' ? 1n : 1;
  const written = type === 'BYTE_ARRAY' ? 'STRING' : type;
  const metadata = parquetMetadata(parquetOf(names.map((name) => ({ name, data: [value], type: written }))));
  const data = Buffer.concat([Buffer.from('PAR1'), ...pages.map(pageOf)]);
  for (const { columns: chunks } of metadata.row_groups) {
    for (const { meta_data } of chunks) {
      if (meta_data === undefined) continue;
      delete meta_data.dictionary_page_offset;
      delete meta_data.statistics;
      Object.assign(meta_data, { codec, data_page_offset: 4n, total_compressed_size: BigInt(data.byteLength - 4) });
      meta_data.num_values = BigInt(rows);
    }
  }
  for (const element of metadata.schema.slice(1)) element.repetition_type = isOptional ? 'OPTIONAL' : 'REQUIRED';
  metadata.num_rows = BigInt(rows);
  for (const group of metadata.row_groups) group.num_rows = BigInt(rows);
  change?.(metadata);
  return Buffer.concat([data, footerOf(metadata)]);
}

interface Fields {
  field_4?: { field_1: { field_3: { field_12?: Record<string, Uint8Array> } }[] }[];
}

/** Returns a file whose first column has statistics that a writer would reject, by the numbers of their fields. */
export function withStatistics(file: Uint8Array, statistics: Record<string, Uint8Array>): Uint8Array {
  const { metadata_length } = parquetMetadata(Uint8Array.from(file).buffer);
  const start = file.byteLength - 8 - metadata_length;
  const view = new DataView(Uint8Array.from(file.subarray(start, -8)).buffer);
  const fields = deserializeTCompactProtocol({ view, offset: 0 });
  const chunk = (fields as Fields).field_4?.[0]?.field_1[0];
  if (chunk !== undefined) {
    const numbered = Object.entries({ ...chunk.field_3, field_12: statistics });
    // The Parquet writer requires ascending numbers.
    chunk.field_3 = Object.fromEntries(numbered.sort(([a], [b]) => Number(a.slice(6)) - Number(b.slice(6))));
  }
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, fields);
  return Buffer.concat([file.subarray(0, start), withRawFooter(new Uint8Array(writer.getBuffer())).subarray(20)]);
}

/** A group of columns of a schema, or a column without children. */
export interface SchemaPart {
  name: string;
  children?: number;
}

/** Builds a file without rows that has any schema, also one that a writer would reject. */
export function parquetOfSchema(parts: readonly SchemaPart[]): Uint8Array {
  const elements = parts.map(({ name, children }) => {
    const named = [...varint(name.length), ...Buffer.from(name)];
    return Uint8Array.from(
      children === undefined
        ? [0x15, ...zigzag(1), 0x25, 0, 0x18, ...named, 0]
        : [0x48, ...named, 0x15, ...zigzag(children), 0],
    );
  });
  const start = Uint8Array.from([0x15, 2, 0x19, 0xfc, ...varint(parts.length)]);
  const footer = Buffer.concat([start, ...elements, Uint8Array.from([0x16, 0, 0x19, 0x0c, 0])]);
  return withRawFooter(footer);
}

/** Builds a file that consists of a footer of any bytes. */
export function withRawFooter(footer: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.byteLength);
  return Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(16), footer, length, Buffer.from('PAR1')]);
}

/** Returns a number as Thrift writes it. */
export function zigzag(value: number): number[] {
  return varint(value * 2);
}
