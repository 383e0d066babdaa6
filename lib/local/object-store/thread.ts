import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LocalStartError } from '../start-error.ts';
import type { ObjectStore, ObjectStoreOptions } from './start.ts';

/** What can be told to another thread; the time there is the machine's. */
export type ThreadedStoreOptions = Omit<ObjectStoreOptions, 'clock' | 'onFault'>;

/**
 * The same store in a thread of its own, so that whoever asks it and the store do not wait for each other's core.
 * Rejects as `startObjectStore` does; a fault that would end the store's thread later ends the process.
 */
export async function startObjectStoreThread(options: ThreadedStoreOptions): Promise<ObjectStore> {
  const worker = new Worker(new URL('./thread-main.ts', import.meta.url), { workerData: options });
  const { url, port } = await firstMessage(worker);
  return {
    url,
    port,
    async close() {
      worker.postMessage('close');
      await once(worker, 'exit');
    },
  };
}

async function firstMessage(worker: Worker): Promise<Pick<ObjectStore, 'url' | 'port'>> {
  try {
    const [started] = await once(worker, 'message');
    return started;
  } catch (error) {
    // An error loses its class on its way between threads.
    if (error instanceof Error && error.name === 'LocalStartError') {
      throw new LocalStartError(error.message, { cause: error });
    }
    throw error;
  }
}
