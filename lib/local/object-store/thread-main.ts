import { parentPort, workerData } from 'node:worker_threads';
import { startObjectStore } from './start.ts';
import type { ThreadedStoreOptions } from './thread.ts';

// The first and only code of the store's thread.
const options: ThreadedStoreOptions = workerData;
const { url, port, close } = await startObjectStore({ ...options, clock: Date.now });
parentPort?.once('message', () => void close().then(() => parentPort?.close()));
parentPort?.postMessage({ url, port });
