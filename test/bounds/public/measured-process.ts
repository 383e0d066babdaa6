import { readFileSync, writeFileSync } from 'node:fs';
import { peakBytes } from '../../../bench/child-process.ts';
import { startLocalService } from '../../../lib/local/service.ts';
import type { LocalServiceOptions } from '../../../lib/local/service-options.ts';

/** The service runs alone in this process, so that the measured CPU time and memory belong to the service. */
export type ServiceProcessOptions = Pick<LocalServiceOptions, 'dynamodb' | 'tableName' | 'storage'>;

export interface ServiceProcess {
  apiUrl: string;
  dataUrl: string;
  identityUrl: string;
}

/** The CPU time since the start of the process, and the peak memory since the last `begin`. */
export interface ProcessUsage {
  cpuMs: number;
  residentBytes: number;
  peakBytes: number;
}

export type ProcessMessage = 'begin' | 'begin clean' | 'end';

const options: ServiceProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const unlimited = { per_ip_per_minute: Number.MAX_SAFE_INTEGER, per_key_per_minute: Number.MAX_SAFE_INTEGER };
const service = await startLocalService({
  ...options,
  // Responses are not cached, because a cache hit would hide the cost of the function.
  openDataCacheSeconds: 0,
  throttles: unlimited,
  resolveHost: (host) => Promise.reject(new Error(`no test reaches ${host}`)),
});
process.on('message', (message: ProcessMessage) => {
  if (message === 'begin clean') globalThis.gc?.();
  if (message !== 'end') forgetPeak();
  process.send?.(usage());
});
process.once('disconnect', () => void service.close().then(() => process.exit()));
const { apiUrl, dataUrl, identity } = service;
process.send?.({ apiUrl, dataUrl, identityUrl: identity.url } satisfies ServiceProcess);

function usage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, residentBytes: residentBytes(), peakBytes: peakBytes() };
}

/**
 * Returns the resident memory that the kernel reports. The kernel counts the peak in the same way, and Node's own
 * figure can be older.
 */
function residentBytes(): number {
  try {
    const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return Number(kibibytes) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}

/**
 * Resets the memory peak on Linux (proc(5), clear_refs). On other systems, the peak counts from the start of the
 * process.
 */
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The system is not Linux, or the process has no permission.
  }
}
