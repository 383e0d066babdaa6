import { deployedStream } from '../../lib/deployed/stream.ts';
import { streamFunction } from '../../lib/streams/stream-handler.ts';

/** Reads the table's stream and carries on what a change means beyond its own item. */
export const handler = streamFunction(deployedStream);
