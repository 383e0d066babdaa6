import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns the peak memory of this program. Linux includes the parent process's earlier memory in `maxRSS`
 * (getrusage(2), proc(5)), so this reads /proc.
 */
export function peakBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}
