import type { ReadingLimits } from '../../../../lib/pages/site/previews/scripted.ts';

/** A range of bytes from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The minimum number of bytes of a partial column that is worth reading. A smaller range rarely contains the complete
 * first page.
 */
const headBytesMin = 64 * 1024;
/** The maximum number of bytes that is read of one column to show its first rows. */
const headBytesMax = 2 * 1024 * 1024;
/**
 * The largest gap between two columns that are read with one request. Reading the gap costs less than another request.
 */
const gapBytesMax = 64 * 1024;

/**
 * Plans the byte ranges to read, in file order, so that they cover as many columns as possible. One range covers
 * several small neighboring columns, or the beginning of a large one.
 */
export function planRanges(chunks: readonly ByteRange[], limits: ReadingLimits): ByteRange[] {
  let waiting = chunks.toSorted((a, b) => a.start - b.start);
  const ranges: ByteRange[] = [];
  let { requests, bytes } = limits;
  for (let first = waiting[0]; first !== undefined && requests > 0; first = waiting[0]) {
    const share = bytesAlike(waiting) <= bytes ? bytes : Math.floor(bytes / Math.min(requests, waiting.length));
    if (Math.min(headBytesMin, first.end - first.start) > share) break;
    const end = endOfRange(waiting, first.start + share);
    ranges.push({ start: first.start, end });
    requests -= 1;
    bytes -= end - first.start;
    waiting = waiting.filter((chunk) => chunk.start >= end);
  }
  return ranges;
}

function bytesAlike(chunks: readonly ByteRange[]): number {
  return (chunks.at(-1)?.end ?? 0) - (chunks[0]?.start ?? 0);
}

/**
 * Returns the end of a byte range. The range covers all chunks that fit, or the beginning of the first chunk if this
 * chunk is too large.
 */
function endOfRange(chunks: readonly ByteRange[], endMax: number): number {
  const start = chunks[0]?.start ?? 0;
  let end = start;
  for (const chunk of chunks) {
    if (chunk.start > end + gapBytesMax) break;
    if (chunk.end <= endMax) {
      end = Math.max(end, chunk.end);
      continue;
    }
    const isTooLarge = chunk.end - chunk.start > endMax - start;
    if (chunk.start === start || (isTooLarge && endMax - chunk.start >= headBytesMin)) {
      end = Math.max(end, Math.min(endMax, chunk.start + headBytesMax));
    }
    break;
  }
  return end;
}
