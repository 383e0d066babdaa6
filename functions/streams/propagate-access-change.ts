import { deployedStream } from '../../lib/runtime/deployed-stream.ts';
import { streamFunction } from '../../lib/runtime/stream-function.ts';

/** Reads the table's stream and carries on what a change means beyond its own item. */
export const handler = streamFunction(deployedStream);
