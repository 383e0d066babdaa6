import type { ReadingLimits } from '../../../lib/pages/site/previews/scripted.ts';
import { PreviewRefusal } from './refusal.ts';

/** Reads `start` to before `end` of a file. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** A file as readers of formats see it: by ranges, and never more than its limits. */
export interface BoundedRanges {
  /** Of the whole file. */
  readonly fileBytes: number;
  /** What may still be asked for. */
  remaining(): ReadingLimits;
  used(): ReadingLimits;
  /**
   * What lies wholly in a range that was read before costs nothing. Throws PreviewRefusal: `outside-the-file` for a range
   * that does not lie in it, `too-much-to-read` past the limits.
   */
  read: ReadRange;
}

interface KnownRange {
  start: number;
  bytes: Promise<Uint8Array>;
  length: number;
}

/** A file no larger is read at once: its parts would cost more requests than bytes. */
const wholeFileBytesMax = 256 * 1024;

/** Every request of a preview goes through here, so that no header of a file makes it read more than its limits. */
export function boundedRanges(readRange: ReadRange, fileBytes: number, limits: ReadingLimits): BoundedRanges {
  const known: KnownRange[] = [];
  const isSmall = fileBytes <= Math.min(wholeFileBytesMax, limits.bytes);
  const used = { requests: 0, bytes: 0 };
  return {
    fileBytes,
    used: () => ({ ...used }),
    remaining: () => ({ requests: limits.requests - used.requests, bytes: limits.bytes - used.bytes }),
    async read(start, end) {
      if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > fileBytes) {
        throw new PreviewRefusal('outside-the-file');
      }
      if (start === end) return new Uint8Array();
      const range = findKnown(start, end) ?? (isSmall ? request(0, fileBytes) : request(start, end));
      const bytes = await range.bytes;
      if (bytes.byteLength !== range.length) throw new PreviewRefusal('changed');
      return bytes.subarray(start - range.start, end - range.start);
    },
  };

  function findKnown(start: number, end: number): KnownRange | undefined {
    return known.find((range) => range.start <= start && end <= range.start + range.length);
  }

  function request(start: number, end: number): KnownRange {
    const length = end - start;
    if (used.requests + 1 > limits.requests || used.bytes + length > limits.bytes) {
      throw new PreviewRefusal('too-much-to-read');
    }
    used.requests += 1;
    used.bytes += length;
    const range = { start, length, bytes: readRange(start, end) };
    known.push(range);
    return range;
  }
}
