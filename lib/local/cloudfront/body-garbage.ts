import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Well below the 64 MiB outside its heap at which V8 collects all of it. */
const bytesBetween = 16 * 1024 ** 2;

const collect = findCollector();
let bytes = 0;

/**
 * Tells of a piece of a body that passes. Node's parser makes a buffer of each, outside the heap and of use for an instant.
 * V8 lets them lie until they add up, and then collects the whole heap, which costs twice what all else does that an
 * upload needs. The young part alone, where they are known, costs a millisecond.
 */
export function countPassingBytes(count: number): void {
  bytes += count;
  if (bytes < bytesBetween) return;
  bytes = 0;
  collect?.({ type: 'minor' });
}

/** V8 gives it to contexts that are made while the flag is set. Without it, an upload takes more CPU time, and that is all. */
function findCollector(): NodeJS.GCFunction | undefined {
  setFlagsFromString('--expose-gc');
  const found: NodeJS.GCFunction | undefined = runInNewContext("typeof gc === 'function' ? gc : undefined");
  // A node started with the flag has it of its own.
  if (globalThis.gc === undefined) setFlagsFromString('--no-expose-gc');
  return found;
}
