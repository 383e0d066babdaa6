import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Stays well below 64 MiB outside the heap, at which V8 runs a full collection. */
const bytesBetween = 16 * 1024 ** 2;

const collect = findCollector();
let bytes = 0;

/**
 * Counts bytes of a body that pass through, and collects their buffers now and then.
 *
 * Node's parser allocates a short-lived buffer outside the heap for each chunk. V8 leaves the buffers until they add up
 * and then collects the whole heap. That costs twice as much as the rest of an upload. A collection of the young
 * generation, which holds them, costs a millisecond.
 */
export function countPassingBytes(count: number): void {
  bytes += count;
  if (bytes < bytesBetween) return;
  bytes = 0;
  collect?.({ type: 'minor' });
}

/**
 * Returns V8's collector, which V8 gives to contexts created while the flag is set. Without it, uploads only take more
 * CPU time.
 */
function findCollector(): NodeJS.GCFunction | undefined {
  setFlagsFromString('--expose-gc');
  const found: NodeJS.GCFunction | undefined = runInNewContext("typeof gc === 'function' ? gc : undefined");
  // A Node process started with the flag keeps its own `gc`.
  if (globalThis.gc === undefined) setFlagsFromString('--no-expose-gc');
  return found;
}
