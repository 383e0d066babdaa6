import { type SeededService, startSeededService } from './seeded-service.ts';

// A process of its own, so that the load and what answers it do not share a thread.
const service = await startSeededService();
const { apiUrl, dataUrl, storage, key } = service;
// Ctrl-C in a terminal reaches this process too, which ends in order once the one that started it is gone.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => void service.close().then(() => process.exit(0)));
process.send?.({ apiUrl, dataUrl, storage, key } satisfies LoadedService);

export type LoadedService = Pick<SeededService, 'apiUrl' | 'dataUrl' | 'storage' | 'key'>;
