import { startEmbeddedStorage } from '../../lib/local/embedded-storage.ts';
import { runAsChild } from '../child-process.ts';

const started = new AsyncDisposableStack();
const storage = await startEmbeddedStorage(undefined, Buffer.from('load'), Date.now, started);
runAsChild(storage, () => started.disposeAsync());
