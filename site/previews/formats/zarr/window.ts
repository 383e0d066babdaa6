import type { SliceChoice, SliceRange } from '../../preview.ts';
import type { BoundedRanges } from '../../reading/ranges.ts';
import { refusalOf } from '../../reading/refusal.ts';
import { type Chunk, openChunks } from './chunks.ts';
import type { ArrayInfo } from './metadata.ts';

/** The maximum size in memory of all chunks of a slice. The chunks are decoded one after another. */
const decodedBytesMax = 128 * 1024 * 1024;
const concurrentReads = 6;
/** The chunk size above which chunks are read one after another. */
const concurrentChunkBytes = 8 * 1024 * 1024;
/** The maximum number of pixels on a side of the image. On a longer side, only every nth value is shown. */
const pixelsOfSide = 1500;
/** The values of a pixel as stored and as shown, and its color. */
const pixelBytes = 20;
/** Compressed chunks of one array have different sizes. */
const sizeReserve = 1.25;

/** The values of a slice, as far as the limits allow to read it. */
export interface SliceWindow {
  rows: SliceRange;
  columns: SliceRange;
  width: number;
  height: number;
  /** The values row by row. Chunks that were not read contain `NaN`. */
  values: Float64Array<ArrayBuffer>;
  chunksRead: number;
  chunksShown: number;
  /** True if the window does not contain the whole slice, or if chunks of it are missing. */
  isPart: boolean;
}

/** A rectangle of the chunk grid, and the size of this grid. */
interface Plan {
  top: number;
  left: number;
  height: number;
  width: number;
}

/**
 * Reads the chunks of a slice. If there are too many chunks, reads a part: around the middle, or from the chosen index
 * on. Returns undefined if the limits are exceeded and a coarser level exists (`canBeCoarser`).
 *
 * @param choice its index of rows or columns is negative for the middle
 */
export async function readWindow(
  file: BoundedRanges,
  array: ArrayInfo,
  choice: Pick<SliceChoice, 'rows' | 'columns' | 'at'>,
  canBeCoarser: boolean,
): Promise<SliceWindow | undefined> {
  const { rows, columns, at } = choice;
  const [rowChunk, columnChunk] = [array.chunks[rows] ?? 1, array.chunks[columns] ?? 1];
  const [rowCount, columnCount] = [array.shape[rows] ?? 1, array.shape[columns] ?? 1];
  const grid = { height: Math.ceil(rowCount / rowChunk), width: Math.ceil(columnCount / columnChunk) };
  const shard = array.shard && {
    height: (array.shard[rows] ?? 1) / rowChunk,
    width: (array.shard[columns] ?? 1) / columnChunk,
  };
  const startOf = (index: number, count: number, shown: number) => {
    if (index < 0) return Math.floor((count - shown) / 2);
    return Math.min(Math.floor(index), count - shown);
  };
  /** Returns a part of the chunk grid with at most this many chunks, as square as possible. */
  const planFor = (chunks: number): Plan => {
    const wanted = Math.floor(Math.sqrt((chunks * rowChunk) / columnChunk));
    const first = Math.min(grid.width, Math.max(1, wanted));
    const height = Math.min(grid.height, Math.max(1, Math.floor(chunks / first)));
    const width = Math.min(grid.width, Math.max(1, Math.floor(chunks / height)));
    const top = startOf((at[rows] ?? 0) / rowChunk, grid.height, height);
    const left = startOf((at[columns] ?? 0) / columnChunk, grid.width, width);
    return { top, left, height, width };
  };
  const requestsOf = ({ top, left, height, width }: Plan) => {
    if (shard === undefined) return height * width;
    const shards = (start: number, count: number, size: number) =>
      Math.floor((start + count - 1) / size) - Math.floor(start / size) + 1;
    // A shard needs one request for its size and one for its index.
    return height * width + 2 * shards(top, height, shard.height) * shards(left, width, shard.width);
  };
  let chunks = Math.max(1, Math.min(file.remaining().requests, Math.floor(decodedBytesMax / array.chunkBytes)));
  let plan = planFor(chunks);
  while (chunks > 1 && requestsOf(plan) > file.remaining().requests) {
    chunks = Math.floor(chunks * 0.8);
    plan = planFor(chunks);
  }
  const isWhole = () => plan.height === grid.height && plan.width === grid.width;
  if (canBeCoarser && !isWhole()) return undefined;

  const readChunk = await openChunks(file, array);
  const fixed = at.map((index, dimension) => Math.floor(index / (array.chunks[dimension] ?? 1)));
  const read = (row: number, column: number) => readChunk(fixed.with(rows, row).with(columns, column));
  const middle = [plan.top + (plan.height >> 1), plan.left + (plan.width >> 1)] as const;
  const before = file.remaining().bytes;
  const firstChunk = await read(...middle);
  const firstBytes = before - file.remaining().bytes;
  const affordable = 1 + Math.floor(file.remaining().bytes / (firstBytes * sizeReserve));
  if (affordable < plan.height * plan.width) {
    if (canBeCoarser) return undefined;
    plan = planFor(affordable);
  }

  const rangeOf = (start: number, count: number, chunk: number, size: number): SliceRange => {
    const length = Math.min(count * chunk, size - start * chunk);
    return { start: start * chunk, length, step: Math.ceil(length / pixelsOfSide) };
  };
  const rowRange = rangeOf(plan.top, plan.height, rowChunk, rowCount);
  const columnRange = rangeOf(plan.left, plan.width, columnChunk, columnCount);
  const [height, width] = [pixelsOf(rowRange), pixelsOf(columnRange)];
  file.reserve(width * height * pixelBytes);
  const values = new Float64Array(width * height).fill(Number.NaN);
  const copy = (chunk: Chunk, row: number, column: number) => {
    const { stride, valueAt } = chunk;
    const [rowStride, columnStride] = [stride[rows] ?? 0, stride[columns] ?? 0];
    const origin = at.reduce(
      (sum, index, dimension) =>
        dimension === rows || dimension === columns
          ? sum
          : sum + (index % (array.chunks[dimension] ?? 1)) * (stride[dimension] ?? 0),
      0,
    );
    const down = pixelsInChunk(rowRange, row * rowChunk, rowChunk);
    const across = pixelsInChunk(columnRange, column * columnChunk, columnChunk);
    for (let y = down.first; y < down.end; y += 1) {
      const inRow = origin + (rowRange.start + y * rowRange.step - row * rowChunk) * rowStride;
      for (let x = across.first; x < across.end; x += 1) {
        const inColumn = columnRange.start + x * columnRange.step - column * columnChunk;
        values[y * width + x] = valueAt(inRow + inColumn * columnStride);
      }
    }
  };

  const [middleRow, middleColumn] = middle;
  const positions = Array.from({ length: plan.height * plan.width }, (_, index) => ({
    row: plan.top + Math.floor(index / plan.width),
    column: plan.left + (index % plan.width),
  })).sort((a, b) => distance(a) - distance(b));
  function distance({ row, column }: { row: number; column: number }): number {
    return Math.hypot((row - middleRow) * rowChunk, (column - middleColumn) * columnChunk);
  }
  let chunksRead = 0;
  let isFull = false;
  const readNext = async (): Promise<void> => {
    for (let next = positions.shift(); next !== undefined && !isFull; next = positions.shift()) {
      const { row, column } = next;
      try {
        copy(row === middleRow && column === middleColumn ? firstChunk : await read(row, column), row, column);
        chunksRead += 1;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal.reason !== 'too-much-to-read') throw refusal;
        isFull = true;
      }
    }
  };
  const chunksShown = positions.length;
  const readers = array.chunkBytes > concurrentChunkBytes ? 1 : concurrentReads;
  await Promise.all(Array.from({ length: readers }, readNext));
  if (canBeCoarser && chunksRead < chunksShown) return undefined;
  const isPart = !isWhole() || chunksRead < chunksShown;
  return { rows: rowRange, columns: columnRange, width, height, values, chunksRead, chunksShown, isPart };
}

function pixelsOf({ length, step }: SliceRange): number {
  return Math.ceil(length / step);
}

/** Returns the first pixel whose index is in a chunk, and the first pixel after the chunk. */
function pixelsInChunk(range: SliceRange, chunkStart: number, chunkLength: number): { first: number; end: number } {
  const pixelAt = (index: number) => Math.ceil((index - range.start) / range.step);
  return {
    first: Math.max(0, pixelAt(chunkStart)),
    end: Math.min(pixelsOf(range), pixelAt(chunkStart + chunkLength)),
  };
}
