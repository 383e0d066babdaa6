import type { LocalStorage } from '../../lib/local/embedded-storage.ts';
import { childArgument, runAsChild } from '../child-process.ts';
import { type SeededService, startSeededService } from '../seeded-service.ts';

export type LoadedService = Pick<SeededService, 'apiUrl' | 'dataUrl' | 'storage' | 'key'>;

// The benchmark measures the cost of an exchange, so throttles must not apply.
const throttles = { per_ip_per_minute: Number.MAX_SAFE_INTEGER, per_key_per_minute: Number.MAX_SAFE_INTEGER };
const service = await startSeededService({ storage: childArgument<LocalStorage>(), throttles });
const { apiUrl, dataUrl, storage, key } = service;
runAsChild({ apiUrl, dataUrl, storage, key } satisfies LoadedService, () => service.close());
