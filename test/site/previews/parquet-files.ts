import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { SparseFile } from '../../service/sparse-object.ts';

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

export function readSparse({ parts }: SparseFile, start: number, end: number): Uint8Array {
  const out = new Uint8Array(end - start);
  for (const { at, bytes } of parts) {
    const from = Math.max(start, at);
    const to = Math.min(end, at + bytes.byteLength);
    if (from < to) out.set(bytes.subarray(from - at, to - at), from - start);
  }
  return out;
}
