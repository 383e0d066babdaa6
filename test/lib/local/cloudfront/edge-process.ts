import { randomBytes, randomUUID } from 'node:crypto';
import { peakBytes } from '../../../../bench/peak-memory.ts';
import { startEdge } from '../../../../lib/local/cloudfront/server.ts';
import { forwardTo, showUnchanged } from './forwarding.ts';

// An edge alone in its process, so that what the process takes of memory is the edge's. It forwards to the port it is told.
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
  /** The most it ever was. */
  peakBytes: number;
}
