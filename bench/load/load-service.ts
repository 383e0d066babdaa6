import type { LocalStorage } from '../../lib/local/embedded-storage.ts';
import { childArgument, runAsChild } from '../child-process.ts';
import { ciToken, type SeededService, startSeededService, unlimited } from '../seeded-service.ts';

export type LoadedService = Pick<SeededService, 'apiUrl' | 'dataUrl' | 'storage' | 'key'> & { ciToken: string };

const service = await startSeededService({ storage: childArgument<LocalStorage>(), throttles: unlimited });
const { apiUrl, dataUrl, storage, key } = service;
const started: LoadedService = { apiUrl, dataUrl, storage, key, ciToken: await ciToken(service) };
runAsChild(started, () => service.close());
