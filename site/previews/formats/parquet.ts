import {
  type ColumnChunk,
  type ColumnMetaData,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { type Cell, cellOf } from '../../../lib/pages/site/previews/cell-text.ts';
import { firstColumns, type PartRequest, type Preview, rowsOfPart } from '../preview.ts';
import { concat } from '../reading/concat.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal, refusalOf } from '../reading/refusal.ts';
import { checkSignature } from '../reading/signature.ts';
import { codecs, isReadable } from './parquet/codecs.ts';
import { type PageSelection, selectPages, type WantedRows } from './parquet/page-selection.ts';
import { endOfStruct, findWholePages } from './parquet/pages.ts';
import { type ByteRange, planRanges } from './parquet/ranges.ts';
import { columnOf, parsers } from './parquet/schema.ts';
import { rangeOfValues } from './parquet/statistics.ts';

const columnsShown = 100;
const tailBytes = 8;
/** The last byte of the signature PARE of encrypted files. */
const encryptedEnd = 0x45;
/** The number of bytes of the first read at the end of the file. Most footers fit in it. */
const footerBytesRead = 256 * 1024 + tailBytes;

/** Reads the schema and rows of a Parquet file, for as many columns as the limits allow. */
export async function readParquet(file: BoundedRanges, part: PartRequest = {}): Promise<Preview> {
  const metadata = await readFooter(file);
  const trees = parquetSchema(metadata).children;
  const flat = flatColumns(trees);
  const rowsInFile = countRows(metadata, flat);
  const shown = trees.slice(0, columnsShown);
  const firstRow = Math.min(part.row ?? 0, Math.max(0, rowsInFile - 1));
  const { group, groupStart } = findGroup(metadata, firstRow);
  const rowsLeft = groupStart + Number(group?.num_rows ?? 0) - firstRow;
  const wanted = { start: firstRow - groupStart, count: Math.min(rowsOfPart(shown.length), rowsLeft) };
  const names = shown.map(({ element }) => element.name);
  const read = group === undefined ? [] : await readColumns(file, { metadata, group, names, wanted, flat });
  const rowsRead = Math.min(wanted.count, Math.max(0, ...read.map((cells) => cells?.length ?? 0)));
  const unread = group === undefined ? 0 : read.filter((cells) => (cells?.length ?? 0) < Math.max(1, rowsRead)).length;
  const rows = Array.from({ length: rowsRead }, (_, row): Cell[] => names.map((_, column) => read[column]?.[row]));
  const unsupported = unreadableCodecs(group);
  const hasMore = unread > 0 && unsupported.length === 0;
  const unreadText = unread === 1 ? 'One column needs another request.' : `${unread} columns need further requests.`;
  const isUnreachable = part.row !== undefined && rowsRead === 0 && hasMore;
  if (isUnreachable)
    throw new PreviewRefusal('row-too-deep', `${formatCount(firstRow + 1)} ${formatCount(groupStart + 1)}`);
  const nextRow = firstRow + rowsRead;
  return {
    table: {
      columns: shown.map((tree) => ({ ...columnOf(tree), ...rangeOfValues(metadata, tree.element.name) })),
      rows,
      start: { row: firstRow },
      firstRow,
      rowsInFile,
      hasIndex: true,
      ...(rowsRead > 0 && nextRow < rowsInFile && { next: { row: nextRow } }),
    },
    properties: propertiesOf(metadata),
    notes: [
      ...firstColumns(shown.length, trees.length),
      ...unsupported.map(
        (name) => `The preview does not support ${name} compression. Use one of the tools to read these columns.`,
      ),
      ...(hasMore ? [unreadText] : []),
      readNote(file),
    ],
    hasMore,
  };
}

/** Returns the columns that have one value in each row. */
function flatColumns(trees: readonly SchemaTree[]): ReadonlySet<string> {
  const flat = trees.filter(({ element, children }) => children.length === 0 && element.repetition_type !== 'REPEATED');
  return new Set(flat.map(({ element }) => element.name));
}

/** Returns the name of the table column to which a chunk belongs. */
function nameOf({ meta_data }: ColumnChunk): string {
  return meta_data?.path_in_schema[0] ?? '';
}

/** Returns the number of rows. Throws PreviewRefusal if the footer contradicts itself. */
function countRows({ num_rows, row_groups }: FileMetaData, flat: ReadonlySet<string>): number {
  const sum = row_groups.reduce((rows, group) => rows + group.num_rows, 0n);
  const isSame = row_groups.every((group) => {
    const columns = group.columns.filter((chunk) => flat.has(nameOf(chunk)));
    return group.num_rows >= 0n && columns.every(({ meta_data }) => meta_data?.num_values === group.num_rows);
  });
  const isExact = sum === num_rows && sum <= BigInt(Number.MAX_SAFE_INTEGER);
  if (!isSame || !isExact) throw new PreviewRefusal('false-count');
  return Number(sum);
}

/** Returns the row group that contains a row, and the number of rows before that group. */
function findGroup({ row_groups }: FileMetaData, row: number): { group: RowGroup | undefined; groupStart: number } {
  let groupStart = 0;
  for (const group of row_groups) {
    const rows = Number(group.num_rows);
    if (row < groupStart + rows) return { group, groupStart };
    groupStart += rows;
  }
  return { group: undefined, groupStart };
}

async function readFooter(file: BoundedRanges): Promise<FileMetaData> {
  const { fileBytes } = file;
  if (fileBytes < 2 * tailBytes) throw new PreviewRefusal('not-of-this-format');
  let end = await file.read(Math.max(0, fileBytes - footerBytesRead), fileBytes);
  checkSignature('parquet', end);
  const tail = new DataView(end.buffer, end.byteOffset + end.byteLength - tailBytes, tailBytes);
  if (end.at(-1) === encryptedEnd) throw new PreviewRefusal('compression', 'Parquet encryption');
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

interface GroupReading {
  metadata: FileMetaData;
  group: RowGroup;
  wanted: WantedRows;
  /** The names of the columns that have one value in each row. */
  flat: ReadonlySet<string>;
}

/** Returns the wanted values of each column. Returns undefined for a column that could not be read. */
async function readColumns(file: BoundedRanges, reading: GroupReading & { names: readonly string[] }) {
  const { group, names, wanted, flat } = reading;
  const isShown = new Set(names);
  const chunks = group.columns.filter(
    (chunk) => isShown.has(nameOf(chunk)) && !chunk.file_path && isReadable(chunk.meta_data?.codec ?? 'LZO'),
  );
  const groupRows = Number(group.num_rows);
  const selections = await selectPages(
    file,
    chunks.map((chunk) => ({ chunk, range: rangeOf(chunk, file.fileBytes), isFlat: flat.has(nameOf(chunk)) })),
    { ...wanted, groupRows },
  );
  const ranges = planRanges(
    selections.flatMap(({ pieces }) => pieces),
    file.remaining(),
  );
  const parts: { start: number; bytes: Uint8Array }[] = await Promise.all(
    ranges.map(async ({ start, end }) => ({ start, bytes: await file.read(start, end) })),
  );
  const bytesOf = ({ start, end }: ByteRange) => {
    const part = parts.find((each) => each.start <= start && start < each.start + each.bytes.byteLength);
    return part?.bytes.subarray(start - part.start, end - part.start) ?? new Uint8Array();
  };
  const columns: (Cell[] | undefined)[] = [];
  // Read one column after another, so that the memory of a decoded column is free before the next one is decoded.
  for (const name of names) {
    const own = selections.filter(({ chunk }) => nameOf(chunk) === name);
    columns.push(await readColumn(own, name, { ...reading, bytesOf, reserve: file.reserve }));
  }
  return columns;
}

interface ColumnReading extends GroupReading {
  /** Returns the bytes of a range that were read. They may end before the range. */
  bytesOf(range: ByteRange): Uint8Array;
  reserve: BoundedRanges['reserve'];
}

async function readColumn(
  selections: PageSelection[],
  name: string,
  { metadata, group, wanted, bytesOf, reserve }: ColumnReading,
): Promise<Cell[] | undefined> {
  const [first] = selections;
  if (first === undefined) return undefined;
  try {
    // All chunks of a column skip the same rows, because only a column with one chunk skips any.
    const skipped = first.skippedRows;
    const rowStart = wanted.start - skipped;
    let at = 4;
    const trimmed = selections.map(({ chunk, range, pieces, isFlat }) => {
      const read = concat(pieces.map(bytesOf));
      const isBinary = chunk.meta_data?.type.endsWith('BYTE_ARRAY') === true;
      const { byteLength, rows, memoryBytes } = findWholePages(read, rowStart + wanted.count, isBinary);
      reserve(memoryBytes);
      const start = at;
      at += byteLength;
      const isComplete = byteLength === range.end - range.start;
      if (isFlat && isComplete && rows < rowStart + wanted.count) throw new PreviewRefusal('false-count');
      return { chunk, start, bytes: read.subarray(0, byteLength), rows, isFlat, isComplete };
    });
    if (trimmed.some(({ rows }) => rows <= rowStart)) return undefined;
    // The parser gets the pages as a file of their own, without the pages that were not read.
    const columns = trimmed.map(({ chunk, start, bytes }): ColumnChunk => {
      const { dictionary_page_offset: _, ...rest } = chunk.meta_data ?? {};
      const data_page_offset = BigInt(start);
      const total_compressed_size = BigInt(bytes.byteLength);
      return { ...chunk, meta_data: { ...rest, data_page_offset, total_compressed_size } as ColumnMetaData };
    });
    const pages = concat([new Uint8Array(4), ...trimmed.map(({ bytes }) => bytes)]);
    const decoded = await new Promise<unknown[][]>((resolve, reject) => {
      const num_rows = group.num_rows - BigInt(skipped);
      parquetRead({
        file: { byteLength: pages.byteLength, slice: (start, end) => pages.slice(start, end).buffer },
        metadata: { ...metadata, row_groups: [{ ...group, num_rows, columns }] },
        columns: [name],
        rowStart,
        rowEnd: rowStart + wanted.count + 1,
        compressors: codecs,
        parsers,
        utf8: false,
        onComplete: resolve,
      }).catch(reject);
    });
    const isSingle = first.chunk.meta_data?.type === 'FLOAT';
    const cells = decoded.map(([value]) => cellOf(value ?? null, isSingle));
    // For a flat column, the pages give the number of complete rows. In a column with lists, the last row may continue
    // in a page that was not read, so only the decoded values give the number.
    if (trimmed.every(({ isFlat }) => isFlat))
      return cells.slice(0, Math.min(...trimmed.map(({ rows }) => rows)) - rowStart);
    if (trimmed.every(({ isComplete }) => isComplete)) return cells;
    return cells.slice(
      0,
      Math.max(
        0,
        cells.findLastIndex((cell) => cell !== null),
      ),
    );
  } catch (error) {
    if (refusalOf(error).reason === 'false-count') throw error;
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
