import { type FileMetaData, parquetMetadata, parquetSchema, type RowGroup, type SchemaTree } from 'hyparquet';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { type Cell, cellOf } from '../../../lib/pages/site/previews/cell-text.ts';
import type { ReadingLimits } from '../../../lib/pages/site/previews/scripted.ts';
import { firstColumns, type PartRequest, type Preview, rowsOfPart } from '../preview.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { checkSignature } from '../reading/signature.ts';
import { isReadable } from './parquet/codecs.ts';
import { nameOf, readColumns, selectColumns } from './parquet/columns.ts';
import { geometryText, readGeometries } from './parquet/geometries.ts';
import { geometryColumnOf } from './parquet/geometry-column.ts';
import { checkDecimals } from './parquet/page-check.ts';
import { endOfStruct } from './parquet/pages.ts';
import { planRanges } from './parquet/ranges.ts';
import { columnOf, parsers } from './parquet/schema.ts';
import { rangeOfValues } from './parquet/statistics.ts';

const columnsShown = 100;
const depthMax = 64;
const tailBytes = 8;
/** The last byte of `PARE`, the signature of encrypted Parquet files. */
const encryptedEnd = 0x45;
/** The number of bytes of the first read at the end of the file. Most footers fit in it. */
const footerBytesRead = 256 * 1024 + tailBytes;

/**
 * Reads the schema and rows of a Parquet file, for as many columns as the limits allow. If the rows have geometries,
 * also draws these on a map.
 */
export async function readParquet(file: BoundedRanges, part: PartRequest = {}): Promise<Preview> {
  const metadata = await readFooter(file);
  checkDepth(metadata);
  const trees = parquetSchema(metadata).children;
  const flat = flatColumns(trees);
  const rowsInFile = countRows(metadata, flat);
  const geometry = geometryColumnOf(metadata);
  const readMap = async () => {
    if (geometry === undefined) return undefined;
    return readGeometries(file, { metadata, trees, flat, geometry, look: part.look });
  };
  if (part.look !== undefined) {
    const map = await readMap();
    return { ...(map && { map }), notes: [readNote(file)] };
  }
  const shown = trees.slice(0, columnsShown);
  const firstRow = Math.min(part.row ?? 0, Math.max(0, rowsInFile - 1));
  const { group, groupStart } = findGroup(metadata, firstRow);
  const rowsLeft = groupStart + Number(group?.num_rows ?? 0) - firstRow;
  const wanted = { start: firstRow - groupStart, count: Math.min(rowsOfPart(shown.length), rowsLeft) };
  const names = shown.map(({ element }) => element.name);
  let read: (unknown[] | undefined)[] = [];
  if (group !== undefined) {
    const reading = { metadata, group, names, wanted, trees, flat };
    const selections = await selectColumns(file, reading);
    const ranges = planRanges(
      selections.flatMap(({ pieces }) => pieces),
      limitsOfTable(file),
    );
    read = await readColumns(file, selections, ranges, reading);
  }
  const rowsRead = Math.min(wanted.count, Math.max(0, ...read.map((values) => values?.length ?? 0)));
  const unread =
    group === undefined ? 0 : read.filter((values) => (values?.length ?? 0) < Math.max(1, rowsRead)).length;
  const columns = shown.map(({ element: { name, type } }, at) => {
    const textOf = name === geometry?.name ? geometryText : (value: unknown) => value;
    return (read[at] ?? []).map((value) => cellOf(textOf(value), type === 'FLOAT'));
  });
  const rows = Array.from({ length: rowsRead }, (_, row): Cell[] => columns.map((cells) => cells[row]));
  const unsupported = unreadableCodecs(group);
  const hasMore = unread > 0 && unsupported.length === 0;
  const unreadText = unread === 1 ? 'One column needs another request.' : `${unread} columns need further requests.`;
  const isUnreachable = part.row !== undefined && rowsRead === 0 && hasMore;
  if (isUnreachable)
    throw new PreviewRefusal('row-too-deep', `${formatCount(firstRow + 1)} ${formatCount(groupStart + 1)}`);
  const nextRow = firstRow + rowsRead;
  // If the map fails, the table is still shown. All parts of the table share one map.
  const map = part.row === undefined ? await readMap().catch(() => undefined) : undefined;
  const hasNoMap = geometry !== undefined && map === undefined && part.row === undefined;
  return {
    ...(map && { map }),
    table: {
      columns: shown.map((tree) =>
        tree.element.name === geometry?.name
          ? { ...columnOf(tree), type: 'geometry' }
          : { ...columnOf(tree), ...rangeOfValues(metadata, tree.element.name) },
      ),
      rows,
      ...(firstRow > 0 && { start: { row: firstRow } }),
      firstRow,
      rowsInFile,
      hasIndex: true,
      ...(rowsRead > 0 && nextRow < rowsInFile && { next: { row: nextRow } }),
    },
    properties: propertiesOf(metadata),
    notes: [
      ...(isStac(names) ? ['Each row is a STAC item.'] : []),
      ...(hasNoMap ? ['The geometries cannot be shown on a map.'] : []),
      ...firstColumns(shown.length, trees.length),
      ...unsupported.map(
        (name) => `The preview does not support ${name} compression. Use one of the tools to read these columns.`,
      ),
      ...(hasMore ? [unreadText] : []),
      readNote(file),
    ],
    hasMore: hasMore || map?.reads !== undefined,
  };
}

/** Returns the part of the read limits that the table may use. The map uses the rest. */
function limitsOfTable(file: BoundedRanges): ReadingLimits {
  const [used, remaining] = [file.used(), file.remaining()];
  const bytes = Math.ceil((used.bytes + remaining.bytes) / 2) - used.bytes;
  const requests = Math.ceil((used.requests + remaining.requests) / 8) - used.requests;
  return { requests: Math.max(0, requests), bytes: Math.max(0, bytes) };
}

/** Returns true for the columns of STAC GeoParquet. */
function isStac(names: readonly string[]): boolean {
  return ['stac_version', 'assets', 'links'].every((name) => names.includes(name));
}

/** Throws PreviewRefusal if column groups are nested deeper than in any real data. */
function checkDepth({ schema }: FileMetaData): void {
  /** The number of columns that each enclosing group has not yet listed. */
  const left: number[] = [];
  for (const { num_children: children = 0 } of schema) {
    if (left.length > depthMax) throw new PreviewRefusal('too-large-inside');
    if (left.length > 0) left.push((left.pop() ?? 0) - 1);
    if (children > 0) left.push(children);
    while (left.at(-1) === 0) left.pop();
  }
}

/** Returns the columns that have one value in each row. */
function flatColumns(trees: readonly SchemaTree[]): ReadonlySet<string> {
  const flat = trees.filter(({ element, children }) => children.length === 0 && element.repetition_type !== 'REPEATED');
  return new Set(flat.map(({ element }) => element.name));
}

/** Returns the number of rows. Throws PreviewRefusal if the numbers of rows in the footer contradict each other. */
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

/** Returns the row group that contains a row, and the number of rows before this group. */
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
  checkDecimals(footer);
  return parquetMetadata(footer, { geoparquet: false, parsers });
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
