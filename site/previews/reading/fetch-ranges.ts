import type { ReadRange } from './bounded-ranges.ts';
import { PreviewRefusal } from './refusal.ts';

const answerMsMax = 30_000;

/**
 * Reads a file of the data host. Nothing is sent but `Range`, which needs no preflight, so that any cache in between may
 * answer. Throws PreviewRefusal: `changed` where the file is another one than at the first request, `unreachable`.
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
      // An answer with the whole file is not read.
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
