import { randomBytes, randomUUID } from 'node:crypto';
import { peakBytes } from '../../../../bench/child-process.ts';
import { startEdge } from '../../../../lib/local/cloudfront/server.ts';
import { forwardTo, showUnchanged } from './forwarding.ts';

// An edge in a separate process, so that the memory of the process is the memory of the edge. It forwards to the port
// in its argument.
const toOrigin = forwardTo(Number(process.argv[2]));
const { port } = await startEdge({
  port: 0,
  handlers: { serveObject: toOrigin, exchangeCredentials: toOrigin, shapeResponse: showUnchanged },
  random: { uuid: randomUUID, bytes: randomBytes },
  onError: (error) => console.error(error),
});
process.on('message', () => process.send?.(memory()));
process.once('disconnect', () => process.exit());
process.send?.(port);

function memory(): ProcessMemory {
  return { residentBytes: process.memoryUsage.rss(), peakBytes: peakBytes() };
}

export interface ProcessMemory {
  residentBytes: number;
  /** Largest value so far. */
  peakBytes: number;
}
