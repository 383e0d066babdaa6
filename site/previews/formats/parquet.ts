import {
  type ColumnChunk,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  parquetSchema,
  type RowGroup,
} from 'hyparquet';
import { counted, firstOf, formatCount } from '../../../lib/pages/site/format.ts';
import { type Cell, cellOf } from '../../../lib/pages/site/previews/cell-text.ts';
import type { Preview } from '../preview.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { codecs, isReadable } from './parquet/codecs.ts';
import { endOfStruct, findWholePages } from './parquet/pages.ts';
import { type ByteRange, planRanges } from './parquet/ranges.ts';
import { columnOf, parsers } from './parquet/schema.ts';

const rowsShown = 50;
const columnsShown = 100;
const tailBytes = 8;
/** The number of bytes of the first read at the end of the file. Most footers fit in it. */
const footerBytesRead = 256 * 1024 + tailBytes;

/** Reads the schema and the first rows of a Parquet file, for as many columns as the limits allow. */
export async function readParquet(file: BoundedRanges): Promise<Preview> {
  const metadata = await readFooter(file);
  const trees = parquetSchema(metadata).children;
  const shown = trees.slice(0, columnsShown);
  const group = metadata.row_groups.find(({ num_rows }) => num_rows > 0n);
  const rowsMax = group === undefined ? 0 : Math.min(rowsShown, Number(group.num_rows));
  const names = shown.map(({ element }) => element.name);
  const read = group === undefined ? [] : await readColumns(file, metadata, group, names, rowsMax);
  const unread = names.filter((_, index) => group !== undefined && read[index] === undefined).length;
  const rowsRead = Math.min(rowsMax, Math.max(0, ...read.map((cells) => cells?.length ?? 0)));
  const rows = Array.from({ length: rowsRead }, (_, row): Cell[] => names.map((_, column) => read[column]?.[row]));
  const unsupported = unreadableCodecs(group);
  const hasMore = unread > 0 && unsupported.length === 0;
  const total = metadata.num_rows;
  const unreadText = unread === 1 ? 'One column needs another request.' : `${unread} columns need further requests.`;
  return {
    table: { columns: shown.map(columnOf), rows },
    properties: propertiesOf(metadata),
    notes: [
      ...(rowsRead > 0
        ? [
            BigInt(rowsRead) === total
              ? `${counted(rowsRead, 'row')}.`
              : `${firstOf(rowsRead)} of ${counted(total, 'row')}.`,
          ]
        : []),
      ...(trees.length > shown.length ? [`${firstOf(shown.length)} of ${formatCount(trees.length)} columns.`] : []),
      ...unsupported.map(
        (name) => `The preview does not support ${name} compression. Use one of the tools to read these columns.`,
      ),
      ...(hasMore ? [unreadText] : []),
      readNote(file),
    ],
    hasMore,
  };
}

async function readFooter(file: BoundedRanges): Promise<FileMetaData> {
  const { fileBytes } = file;
  if (fileBytes < 2 * tailBytes) throw new PreviewRefusal('not-of-this-format', 'Parquet');
  let end = await file.read(Math.max(0, fileBytes - footerBytesRead), fileBytes);
  const tail = new DataView(end.buffer, end.byteOffset + end.byteLength - tailBytes, tailBytes);
  const magic = String.fromCharCode(...end.subarray(-4));
  if (magic === 'PARE') throw new PreviewRefusal('compression', 'Parquet encryption');
  if (magic !== 'PAR1') throw new PreviewRefusal('not-of-this-format', 'Parquet');
  const length = tail.getUint32(0, true);
  const start = fileBytes - tailBytes - length;
  if (start < 4) throw new PreviewRefusal('outside-the-file');
  if (length + tailBytes > end.byteLength) {
    const rest = await file.read(start, fileBytes - end.byteLength);
    const whole = new Uint8Array(rest.byteLength + end.byteLength);
    whole.set(rest);
    whole.set(end, rest.byteLength);
    end = whole;
  }
  const footer = end.slice(end.byteLength - tailBytes - length);
  if (endOfStruct(footer, 0) === undefined) throw new PreviewRefusal('damaged');
  return parquetMetadata(footer, { geoparquet: false, parsers });
}

/** Returns the first values of each column. Returns undefined for a column that could not be read. */
async function readColumns(
  file: BoundedRanges,
  metadata: FileMetaData,
  group: RowGroup,
  names: string[],
  rows: number,
) {
  const isShown = new Set(names);
  const chunks = group.columns.filter(
    ({ meta_data, file_path }) =>
      isShown.has(meta_data?.path_in_schema[0] ?? '') && !file_path && isReadable(meta_data?.codec ?? 'LZO'),
  );
  const ranges = planRanges(
    chunks.map((chunk) => rangeOf(chunk, file.fileBytes)),
    file.remaining(),
  );
  const parts: { start: number; bytes: Uint8Array }[] = await Promise.all(
    ranges.map(async ({ start, end }) => ({ start, bytes: await file.read(start, end) })),
  );
  const beginningOf = ({ start, end }: ByteRange) => {
    const part = parts.find((each) => each.start <= start && start < each.start + each.bytes.byteLength);
    return part?.bytes.subarray(start - part.start, end - part.start);
  };
  const columns: (Cell[] | undefined)[] = [];
  // Read one column after another, so that the memory of a decoded column is free before the next one is decoded.
  for (const name of names) {
    const own = chunks.filter(({ meta_data }) => meta_data?.path_in_schema[0] === name);
    columns.push(await readColumn(own, name, { metadata, group, rows, beginningOf, fileBytes: file.fileBytes }));
  }
  return columns;
}

interface ColumnReading {
  metadata: FileMetaData;
  group: RowGroup;
  rows: number;
  beginningOf(range: ByteRange): Uint8Array | undefined;
  fileBytes: number;
}

async function readColumn(chunks: ColumnChunk[], name: string, reading: ColumnReading): Promise<Cell[] | undefined> {
  const { metadata, group, rows, beginningOf, fileBytes } = reading;
  if (chunks.length === 0) return undefined;
  try {
    const trimmed = chunks.map((chunk) => {
      const range = rangeOf(chunk, fileBytes);
      const pages = findWholePages(beginningOf(range) ?? new Uint8Array(), rows);
      return { chunk, range, pages, isCut: range.start + pages.byteLength < range.end };
    });
    if (trimmed.some(({ pages }) => pages.rows === 0)) return undefined;
    const bytesAt = (start: number, end: number) => {
      const out = new Uint8Array(end - start);
      for (const { range, pages } of trimmed) {
        const bytes = (beginningOf(range) ?? new Uint8Array()).subarray(0, pages.byteLength);
        if (range.start >= start && range.start + bytes.byteLength <= end) out.set(bytes, range.start - start);
      }
      return out.buffer;
    };
    const columns = trimmed.map(
      ({ chunk, pages }): ColumnChunk => ({
        ...chunk,
        ...(chunk.meta_data === undefined
          ? {}
          : { meta_data: { ...chunk.meta_data, total_compressed_size: BigInt(pages.byteLength) } }),
      }),
    );
    const decoded = await new Promise<unknown[][]>((resolve, reject) => {
      parquetRead({
        file: { byteLength: fileBytes, slice: (start, end = fileBytes) => bytesAt(start, end) },
        metadata: { ...metadata, row_groups: [{ ...group, columns }] },
        columns: [name],
        rowStart: 0,
        rowEnd: rows + 1,
        compressors: codecs,
        parsers,
        utf8: false,
        onComplete: resolve,
      }).catch(reject);
    });
    const isSingle = chunks[0]?.meta_data?.type === 'FLOAT';
    const cells = decoded.map(([value]) => cellOf(value ?? null, isSingle));
    if (trimmed.every(({ isCut }) => !isCut)) return cells;
    // For a flat column, the pages give the number of complete rows. In a column with lists, the last row may continue
    // in a page that was not read, so only the decoded values give the number.
    const isFlat = chunks.every(({ meta_data }) => meta_data?.path_in_schema.length === 1);
    const whole = isFlat
      ? Math.min(...trimmed.map(({ pages }) => pages.rows))
      : cells.findLastIndex((cell) => cell !== null);
    return cells.slice(0, Math.max(whole, 0));
  } catch {
    // The table shows the other columns, even if this column cannot be decoded.
    return undefined;
  }
}

/** Returns the byte range of a column chunk. Throws PreviewRefusal if the range is outside the file. */
function rangeOf({ meta_data }: ColumnChunk, fileBytes: number): ByteRange {
  const start = Number(meta_data?.dictionary_page_offset || meta_data?.data_page_offset || 0n);
  const end = start + Number(meta_data?.total_compressed_size ?? 0n);
  if (start < 4 || end <= start || end > fileBytes) throw new PreviewRefusal('outside-the-file');
  return { start, end };
}

function unreadableCodecs(group: RowGroup | undefined): string[] {
  const codecs = (group?.columns ?? []).flatMap(({ meta_data }) => meta_data?.codec ?? []);
  return [...new Set(codecs)].filter((codec) => !isReadable(codec));
}

function propertiesOf({ num_rows, row_groups, schema, created_by }: FileMetaData): [string, string][] {
  const codecs = new Set(
    row_groups.slice(0, 1).flatMap(({ columns }) => columns.map(({ meta_data }) => meta_data?.codec ?? '')),
  );
  return [
    ['Rows', formatCount(num_rows)],
    ['Columns', formatCount(schema[0]?.num_children ?? 0)],
    ['Row groups', formatCount(row_groups.length)],
    ...(codecs.size === 0 ? [] : ([['Compression', [...codecs].join(', ').slice(0, 60)]] as [string, string][])),
    ...(created_by === undefined ? [] : ([['Written by', created_by.slice(0, 120)]] as [string, string][])),
  ];
}
