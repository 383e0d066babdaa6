import { type ColumnChunk, readOffsetIndex } from 'hyparquet';
import type { BoundedRanges } from '../../reading/ranges.ts';
import { endOfStruct } from './pages.ts';
import type { ByteRange } from './ranges.ts';

/** Consecutive rows of a row group. */
export interface WantedRows {
  /** The number of rows in the row group before the requested rows. */
  start: number;
  count: number;
}

interface SelectedChunk {
  chunk: ColumnChunk;
  /** The bytes of the whole chunk. */
  range: ByteRange;
  /** True if the chunk has one value for each row. */
  isFlat: boolean;
}

export interface PageSelection extends SelectedChunk {
  /**
   * The bytes that contain the requested rows: the beginning of a column chunk, or its dictionary and some of its
   * pages.
   */
  pieces: ByteRange[];
  /** The number of rows in the pages before the first selected page. */
  skippedRows: number;
}

/** The maximum size of the offset indexes of all column chunks that are read. */
const indexBytesMax = 512 * 1024;
/**
 * In a chunk without an offset index, the maximum number of bytes by which a page may start later than its share of the
 * rows suggests.
 */
const unevenBytes = 256 * 1024;

/**
 * Selects the bytes of each chunk to read. A chunk with an offset index gives the positions of its pages. Other chunks
 * are read from their start, because only the page before a page shows its position.
 */
export async function selectPages(
  file: BoundedRanges,
  chunks: readonly SelectedChunk[],
  wanted: WantedRows & { groupRows: number },
): Promise<PageSelection[]> {
  const indexes = wanted.start === 0 ? undefined : await readIndexes(file, chunks);
  return chunks.map((each) => {
    const { chunk, range, isFlat } = each;
    const index = isFlat ? indexes?.(chunk) : undefined;
    const selected = index && pagesOf(index, range, wanted);
    return selected ? { ...each, ...selected } : { ...each, pieces: [beginningOf(range, wanted)], skippedRows: 0 };
  });
}

function beginningOf(range: ByteRange, { start, count, groupRows }: WantedRows & { groupRows: number }): ByteRange {
  const share = (start + count) / Math.max(1, groupRows);
  return {
    start: range.start,
    end: Math.min(range.end, range.start + Math.ceil((range.end - range.start) * share) + unevenBytes),
  };
}

/** Reads the offset indexes with one request, because writers store them next to each other. */
async function readIndexes(file: BoundedRanges, chunks: readonly SelectedChunk[]) {
  const ranges = chunks.flatMap(({ chunk }) => rangeOfIndex(chunk) ?? []);
  if (ranges.length === 0) return undefined;
  const start = Math.min(...ranges.map((range) => range.start));
  const end = Math.max(...ranges.map((range) => range.end));
  if (!(start >= 4 && end <= file.fileBytes && end - start <= indexBytesMax)) return undefined;
  const bytes = await file.read(start, end);
  return (chunk: ColumnChunk): Uint8Array | undefined => {
    const range = rangeOfIndex(chunk);
    return range && bytes.slice(range.start - start, range.end - start);
  };
}

function rangeOfIndex({ offset_index_offset, offset_index_length }: ColumnChunk): ByteRange | undefined {
  if (offset_index_offset === undefined || offset_index_length === undefined) return undefined;
  const start = Number(offset_index_offset);
  return offset_index_length > 0 ? { start, end: start + offset_index_length } : undefined;
}

/** Returns undefined if the offset index describes pages outside the chunk. */
function pagesOf(index: Uint8Array, range: ByteRange, { start, count, groupRows }: WantedRows & { groupRows: number }) {
  if (endOfStruct(index, 0) === undefined) return undefined;
  const { page_locations } = readOffsetIndex({ view: new DataView(index.buffer), offset: 0 });
  const pages = page_locations.map(({ offset, compressed_page_size, first_row_index }) => {
    return { start: Number(offset), end: Number(offset) + compressed_page_size, firstRow: Number(first_row_index) };
  });
  const isInside = pages.every((page, at) => {
    const before = pages[at - 1];
    if (before === undefined) return page.start >= range.start && page.end <= range.end && page.firstRow === 0;
    return page.start >= before.end && page.end <= range.end && page.firstRow > before.firstRow;
  });
  const first = pages.findLast(({ firstRow }) => firstRow <= start);
  const last = pages.findLast(({ firstRow }) => firstRow < Math.min(groupRows, start + count));
  const [earliest] = pages;
  if (!isInside || first === undefined || last === undefined || earliest === undefined) return undefined;
  const dictionary = { start: range.start, end: earliest.start };
  const selected = { start: first.start, end: last.end };
  return {
    pieces: dictionary.end > dictionary.start ? [dictionary, selected] : [selected],
    skippedRows: first.firstRow,
  };
}
