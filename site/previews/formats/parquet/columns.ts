import {
  type ColumnChunk,
  type ColumnMetaData,
  type FileMetaData,
  parquetRead,
  type RowGroup,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { getTreePath } from 'hyparquet/src/schema.js';
import { concat } from '../../reading/concat.ts';
import type { BoundedRanges } from '../../reading/ranges.ts';
import { PreviewRefusal, refusalOf } from '../../reading/refusal.ts';
import { isReadable } from './codecs.ts';
import { decompressPage, headerOfDecompressed, memoryOfPage } from './page-check.ts';
import { type PageSelection, selectPages, type WantedRows } from './page-selection.ts';
import { findWholePages } from './pages.ts';
import type { ByteRange } from './ranges.ts';
import { parsers } from './schema.ts';

export interface GroupReading {
  metadata: FileMetaData;
  group: RowGroup;
  names: readonly string[];
  trees: readonly SchemaTree[];
  wanted: WantedRows;
  /** The names of the columns that have one value in each row. */
  flat: ReadonlySet<string>;
}

/** Returns the name of the table column to which a chunk belongs. */
export function nameOf({ meta_data }: ColumnChunk): string {
  return meta_data?.path_in_schema[0] ?? '';
}

/** Selects the byte ranges to read for each column. */
export async function selectColumns(
  file: BoundedRanges,
  { group, names, wanted, flat }: Omit<GroupReading, 'metadata' | 'trees'>,
): Promise<PageSelection[]> {
  const isShown = new Set(names);
  const chunks = group.columns.filter(
    (chunk) => isShown.has(nameOf(chunk)) && !chunk.file_path && isReadable(chunk.meta_data?.codec ?? 'LZO'),
  );
  const groupRows = Number(group.num_rows);
  return selectPages(
    file,
    chunks.map((chunk) => ({ chunk, range: rangeOf(chunk, file.fileBytes), isFlat: flat.has(nameOf(chunk)) })),
    { ...wanted, groupRows },
  );
}

/**
 * Reads byte ranges of column chunks. Returns the decoded values of each column, and undefined for a column that could
 * not be read.
 */
export async function readColumns(
  file: BoundedRanges,
  selections: readonly PageSelection[],
  ranges: readonly ByteRange[],
  reading: GroupReading,
): Promise<(unknown[] | undefined)[]> {
  const parts: { start: number; bytes: Uint8Array }[] = await Promise.all(
    ranges.map(async ({ start, end }) => ({ start, bytes: await file.read(start, end) })),
  );
  const bytesOf = ({ start, end }: ByteRange) => {
    const part = parts.find((each) => each.start <= start && start < each.start + each.bytes.byteLength);
    return part?.bytes.subarray(start - part.start, end - part.start) ?? new Uint8Array();
  };
  const columns: (unknown[] | undefined)[] = [];
  // Read one column after another, so that the memory of a decoded column is free before the next one is decoded.
  for (const name of reading.names) {
    const own = selections.filter(({ chunk }) => nameOf(chunk) === name);
    columns.push(await readColumn(own, name, { ...reading, bytesOf, reserve: file.reserve }));
  }
  return columns;
}

interface ColumnReading extends GroupReading {
  /** Returns the loaded bytes of a range. They may end before the range does. */
  bytesOf(range: ByteRange): Uint8Array;
  reserve: BoundedRanges['reserve'];
}

async function readColumn(
  selections: PageSelection[],
  name: string,
  { metadata, trees, group, wanted, bytesOf, reserve }: ColumnReading,
): Promise<unknown[] | undefined> {
  const [first] = selections;
  const tree = trees.find(({ element }) => element.name === name);
  if (first === undefined || tree === undefined) return undefined;
  // Give the parser the schema of one column only, because it rebuilds the schema tree for each column.
  const root: SchemaTree = {
    ...{ children: [tree], count: tree.count + 1, path: [] },
    element: { ...metadata.schema[0], name: 'schema', num_children: 1 },
  };
  try {
    // All chunks of a column skip the same number of rows, because only a column with a single chunk skips rows.
    const skipped = first.skippedRows;
    const rowStart = wanted.start - skipped;
    let at = 4;
    const trimmed = selections.map(({ chunk, range, pieces, isFlat }) => {
      const read = concat(pieces.map(bytesOf));
      const path = getTreePath(root, chunk.meta_data?.path_in_schema ?? []);
      const coding = { codec: chunk.meta_data?.codec ?? 'UNCOMPRESSED', path };
      const decompressed: Uint8Array[] = [];
      const { byteLength, rows } = findWholePages(read, rowStart + wanted.count, (header, data, headerBytes) => {
        reserve(memoryOfPage(header, coding));
        const page = decompressPage(header, data, coding);
        decompressed.push(headerOfDecompressed(headerBytes, page.byteLength), page);
      });
      const start = at;
      const bytes = concat(decompressed);
      at += bytes.byteLength;
      const isComplete = byteLength === range.end - range.start;
      if (isFlat && isComplete && rows < rowStart + wanted.count) throw new PreviewRefusal('false-count');
      return { chunk, start, bytes, rows, isFlat, isComplete };
    });
    if (trimmed.some(({ rows }) => rows <= rowStart)) return undefined;
    // Give the parser only the pages that were read, in the form of a separate file.
    const columns = trimmed.map(({ chunk, start, bytes }): ColumnChunk => {
      const { dictionary_page_offset: _, ...rest } = chunk.meta_data ?? {};
      const data_page_offset = BigInt(start);
      const total_compressed_size = BigInt(bytes.byteLength);
      return {
        ...chunk,
        meta_data: { ...rest, codec: 'UNCOMPRESSED', data_page_offset, total_compressed_size } as ColumnMetaData,
      };
    });
    const pages = concat([new Uint8Array(4), ...trimmed.map(({ bytes }) => bytes)]);
    const rows = await new Promise<unknown[][]>((resolve, reject) => {
      const num_rows = group.num_rows - BigInt(skipped);
      parquetRead({
        file: { byteLength: pages.byteLength, slice: (start, end) => pages.slice(start, end).buffer },
        metadata: { ...metadata, schema: elementsOf(root), row_groups: [{ ...group, num_rows, columns }] },
        columns: [name],
        rowStart,
        rowEnd: rowStart + wanted.count + 1,
        parsers,
        utf8: false,
        onComplete: resolve,
      }).catch(reject);
    });
    const values = rows.map(([value]) => value ?? null);
    // For a flat column, the pages give the number of complete rows. In a column with lists, the last row may continue
    // in a page that was not read, so only the decoded values give the number of rows.
    if (trimmed.every(({ isFlat }) => isFlat))
      return values.slice(0, Math.min(...trimmed.map((each) => each.rows)) - rowStart);
    if (trimmed.every(({ isComplete }) => isComplete)) return values;
    return values.slice(
      0,
      Math.max(
        0,
        values.findLastIndex((value) => value !== null),
      ),
    );
  } catch (error) {
    if (refusalOf(error).reason === 'false-count') throw error;
    // If a column cannot be decoded, the table still shows the other columns.
    return undefined;
  }
}

/** Returns the elements of a schema in the order of the file. */
function elementsOf({ element, children }: SchemaTree): SchemaElement[] {
  return [element, ...children.flatMap(elementsOf)];
}

/** Returns the byte range of a column chunk. Throws PreviewRefusal if the range is outside the file. */
function rangeOf({ meta_data }: ColumnChunk, fileBytes: number): ByteRange {
  const start = Number(meta_data?.dictionary_page_offset || meta_data?.data_page_offset || 0n);
  const end = start + Number(meta_data?.total_compressed_size ?? 0n);
  if (start < 4 || end <= start || end > fileBytes) throw new PreviewRefusal('outside-the-file');
  return { start, end };
}
