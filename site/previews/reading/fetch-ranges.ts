import type { ReadRange } from './bounded-ranges.ts';
import { PreviewRefusal } from './refusal.ts';

const answerMsMax = 30_000;

/**
 * Reads a file of the data host. Requests have only a `Range` header, which needs no preflight, so that caches can
 * answer. Throws PreviewRefusal: `changed` if the file is not the one of the first request, or `unreachable`.
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
      // A response with the whole file is not read.
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
