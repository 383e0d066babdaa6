import type { ReadingLimits } from '../../../lib/pages/site/previews/scripted.ts';
import type { Preview } from '../../../site/previews/preview.ts';
import { type BoundedRanges, boundedRanges } from '../../../site/previews/reading/ranges.ts';
import { refusalOf } from '../../../site/previews/reading/refusal.ts';

/** Returns ranges of a file in memory, with the limits of a preview. */
export function rangesOf(bytes: Uint8Array, limits: ReadingLimits = { requests: 4, bytes: 1_000_000 }): BoundedRanges {
  return boundedRanges(
    { readRange: async (start, end) => Uint8Array.from(bytes.subarray(start, end)) },
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
