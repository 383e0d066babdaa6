import type { ReadingLimits } from '../../../lib/pages/site/previews/scripted.ts';
import type { Preview } from '../../../site/previews/preview.ts';
import { type BoundedRanges, boundedRanges, type FolderReads } from '../../../site/previews/reading/ranges.ts';
import { refusalOf } from '../../../site/previews/reading/refusal.ts';
import { foldersIn } from './zarr-stores.ts';

/** Returns ranges of a file in memory, with the limits of a preview. */
export function rangesOf(bytes: Uint8Array, limits: ReadingLimits = { requests: 4, bytes: 1_000_000 }): BoundedRanges {
  return boundedRanges(
    { readRange: async (start, end) => Uint8Array.from(bytes.subarray(start, end)) },
    bytes.byteLength,
    limits,
  );
}

/** Returns ranges of a file, and of the files below its folder by their path. */
export function rangesWithFolder(
  bytes: Uint8Array,
  near: Readonly<Record<string, Uint8Array>>,
  limits: ReadingLimits,
): BoundedRanges {
  const folder: FolderReads = {
    sizeOf: async (path) => near[path]?.byteLength,
    list: async (path) => foldersIn(Object.keys(near), path),
    async read(path, start, end, claim) {
      const part = near[path]?.subarray(start, end);
      claim(part?.byteLength ?? 0);
      return part;
    },
  };
  return boundedRanges(
    { readRange: async (start, end) => bytes.subarray(start, end), folder },
    bytes.byteLength,
    limits,
  );
}

/** Returns the reason why a preview is not shown, or `shown`. */
export async function reasonOf(preview: Promise<Preview>): Promise<string> {
  try {
    await preview;
    return 'shown';
  } catch (error) {
    return refusalOf(error).reason;
  }
}
