import { formatBytes } from '../../../lib/pages/site/format.ts';
import type { ReadingLimits } from '../../../lib/pages/site/previews/scripted.ts';
import { PreviewRefusal } from './refusal.ts';

/** Reads the bytes of a file from `start` (inclusive) to `end` (exclusive). */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** A file that format readers read by byte ranges. It enforces the limits on requests and bytes. */
export interface BoundedRanges {
  /** The size of the whole file. */
  readonly fileBytes: number;
  /** Returns how many requests and bytes the limits still allow. */
  remaining(): ReadingLimits;
  used(): ReadingLimits;
  /**
   * Counts memory that the reader is about to use for content, in bytes. Throws PreviewRefusal `too-large-inside` when
   * the sum exceeds the memory that the format declares. Freed memory stays in the sum.
   */
  reserve(bytes: number): void;
  /** Returns how many different bytes of the file were read. Bytes in overlapping reads count once. */
  bytesRead(): number;
  /**
   * Reads a range. A range inside an earlier one needs no request. Throws PreviewRefusal: `outside-the-file` for a
   * range beyond the end of the file, `too-much-to-read` when the limits are exceeded.
   */
  read: ReadRange;
}

interface KnownRange {
  start: number;
  bytes: Promise<Uint8Array>;
  length: number;
}

/**
 * A file up to this size is read with one request, because separate requests would take longer than the additional
 * bytes.
 */
export const wholeFileBytesMax = 256 * 1024;

/**
 * Returns a file whose reads and memory are all counted against the limits. A malicious file header therefore cannot
 * cause more.
 *
 * @param memoryBytesMax the memory that a reader of the content may reserve. Without it, only reads are limited.
 */
export function boundedRanges(
  readRange: ReadRange,
  fileBytes: number,
  limits: ReadingLimits,
  memoryBytesMax = Number.POSITIVE_INFINITY,
): BoundedRanges {
  const known: KnownRange[] = [];
  const isSmall = fileBytes <= Math.min(wholeFileBytesMax, limits.bytes);
  const used = { requests: 0, bytes: 0 };
  let reserved = 0;
  return {
    fileBytes,
    used: () => ({ ...used }),
    bytesRead,
    reserve(bytes) {
      if (!(reserved + bytes <= memoryBytesMax)) throw new PreviewRefusal('too-large-inside');
      reserved += bytes;
    },
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

  function bytesRead(): number {
    let bytes = 0;
    let end = 0;
    for (const range of known.toSorted((a, b) => a.start - b.start)) {
      const rangeEnd = range.start + range.length;
      bytes += Math.max(0, rangeEnd - Math.max(end, range.start));
      end = Math.max(end, rangeEnd);
    }
    return bytes;
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

/**
 * Returns a function that answers a repeated read from memory. Each part of a file reads the footer or the header again.
 *
 * @param bytesMax the number of bytes in memory, above which the oldest reads are dropped
 */
export function cacheReads(readRange: ReadRange, bytesMax: number): ReadRange {
  const cached = new Map<string, Uint8Array>();
  let bytesCached = 0;
  return async (start, end) => {
    const range = `${start}-${end}`;
    const known = cached.get(range);
    if (known !== undefined) return known;
    const bytes = await readRange(start, end);
    cached.set(range, bytes);
    bytesCached += bytes.byteLength;
    for (const [oldest, { byteLength }] of cached) {
      if (bytesCached <= bytesMax) break;
      cached.delete(oldest);
      bytesCached -= byteLength;
    }
    return bytes;
  };
}

/** Returns a sentence that tells how much of the file the preview has read. */
export function readNote(file: BoundedRanges): string {
  const { requests } = file.used();
  const count = requests === 1 ? 'one request' : `${requests} requests`;
  return `${formatBytes(file.bytesRead())} of ${formatBytes(file.fileBytes)} read in ${count}.`;
}

const answerMsMax = 30_000;

/**
 * Returns a function that reads byte ranges of a file on the data host. Its requests have only a `Range` header, which
 * needs no CORS preflight, so that caches can answer them. The function throws PreviewRefusal: `changed` if the file is
 * not the same as at the first request, or `unreachable`.
 */
export function fetchRanges(url: string): ReadRange {
  let version: string | null | undefined;
  return async (start, end) => {
    const answer = await fetch(url, {
      headers: { range: `bytes=${start}-${end - 1}` },
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(answerMsMax),
    }).catch(() => {
      throw new PreviewRefusal('unreachable');
    });
    if (answer.status !== 206) {
      // The server ignored `Range` and sends the whole file. Do not read it.
      await answer.body?.cancel();
      throw new PreviewRefusal(answer.status === 416 ? 'changed' : 'unreachable');
    }
    const etag = answer.headers.get('etag');
    version ??= etag;
    if (version !== etag) throw new PreviewRefusal('changed');
    try {
      return new Uint8Array(await answer.arrayBuffer());
    } catch {
      throw new PreviewRefusal('unreachable');
    }
  };
}
