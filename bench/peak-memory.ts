import { existsSync, readFileSync } from 'node:fs';

/** The most that this program ever took. Linux counts what the process that started it had before into `maxRSS` (getrusage(2), proc(5)). */
export function peakBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}
