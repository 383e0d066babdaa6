import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { startEdge } from '../../../../lib/local/edge/server.ts';
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

/** Of this program: Linux counts what the process that started it had before into `maxRSS` (getrusage(2), proc(5)). */
function peakBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}

export interface ProcessMemory {
  residentBytes: number;
  /** The most it ever was. */
  peakBytes: number;
}
