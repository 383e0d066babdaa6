import type { LocalStorage } from '../lib/local/embedded-storage.ts';
import { type SeededService, startSeededService } from './seeded-service.ts';

// A process of its own, so that the load and what answers it do not share a thread. A storage may be named in JSON.
const [named] = process.argv.slice(2);
const given: LocalStorage | undefined = named === undefined ? undefined : JSON.parse(named);
// It is measured what an exchange takes, not when one caller has had enough of them.
const throttles = { per_address_per_minute: Number.MAX_SAFE_INTEGER, per_key_per_minute: Number.MAX_SAFE_INTEGER };
const service = await startSeededService({ storage: given, storageThread: true, throttles });
const { apiUrl, dataUrl, storage, key } = service;
// Ctrl-C in a terminal reaches this process too, which ends in order once the one that started it is gone.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => void service.close().then(() => process.exit(0)));
process.on('message', () => process.send?.(usage()));
process.send?.({ apiUrl, dataUrl, storage, key } satisfies LoadedService);

function usage(): ServiceUsage {
  const microseconds = ({ user, system }: NodeJS.CpuUsage) => user + system;
  return {
    edgeMicroseconds: microseconds(process.threadCpuUsage()),
    allMicroseconds: microseconds(process.cpuUsage()),
    residentBytes: process.memoryUsage.rss(),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
}

export type LoadedService = Pick<SeededService, 'apiUrl' | 'dataUrl' | 'storage' | 'key'>;

export interface ServiceUsage {
  /** CPU time of the thread of the edge. */
  edgeMicroseconds: number;
  /** CPU time of all threads: beside the edge's the storage's, those that read files for it, and the collector's. */
  allMicroseconds: number;
  residentBytes: number;
  /** The most that was ever resident. */
  peakBytes: number;
}
