import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MessagePort as TransferredPort, Worker } from 'node:worker_threads';
import { buildSite } from '../../../../lib/assets/build-site.ts';
import {
  type ReadingLimits,
  type ScriptedFormat,
  scriptedKinds,
} from '../../../../lib/pages/site/previews/scripted.ts';
import type { PartRequest, Preview } from '../../../../site/previews/preview.ts';
import { type BoundedRanges, boundedRanges, type PreviewReads } from '../../../../site/previews/reading/ranges.ts';
import {
  type Answered,
  type ReadAnswer,
  type ReadRequest,
  readFrom,
  type Started,
} from '../../../../site/previews/reading/read-in-worker.ts';
import { type Refusal, refusalOf } from '../../../../site/previews/reading/refusal.ts';
import { readSparse, type SparseFile } from '../../../service/sparse-object.ts';

/** A file, and the content of each other file below its folder. Without content, it has no other files. */
export type HostileSource = SparseFile & { others?: Uint8Array };

/** The result of reading a file in the thread. */
export interface Outcome {
  preview?: Preview;
  refusal?: Refusal;
  file: BoundedRanges;
  /** The peak memory of the thread, minus its memory before the reading. */
  memoryBytes: number;
}

/** The processor time above which a reading counts as hanging. */
const processorMsMax = 2000;
/** Ends a thread that does not even report its processor time. */
const answerMsMax = 60_000;
const sampleMs = 25;

/** The folder with the site's scripts, which all threads of a process use. */
let built: Promise<string> | undefined;

async function writeScripts(): Promise<string> {
  const { entries, files } = await buildSite();
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-reading-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder, 'thread.js'), threadScript(entries['preview-worker']?.script ?? ''));
  for (const [name, contents] of files) await writeFile(path.join(folder, name), contents);
  return folder;
}

/** Runs the worker of the previews, as browsers get it, in a thread whose time and memory are limited. */
export class ReadingThread {
  readonly #folder: string;
  readonly #format: ScriptedFormat;
  #worker: Worker | undefined;

  private constructor(folder: string, format: ScriptedFormat) {
    this.#folder = folder;
    this.#format = format;
  }

  static async open(format: ScriptedFormat): Promise<ReadingThread> {
    built ??= writeScripts();
    return new ReadingThread(await built, format);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Reads a part of a file. Rejects if the thread takes too long or too much memory. */
  async read(source: HostileSource, part: PartRequest, limits: ReadingLimits): Promise<Outcome> {
    const worker = await this.#started();
    const { others } = source;
    const reads: PreviewReads = {
      readRange: async (start, end) => readSparse(source, start, end),
      folder: {
        // More folders than a list may contain, also outside of this folder.
        list: async () => ({
          names: ['..', '.', '', '../a', 'a/b', ...Array.from({ length: 1000 }, (_, at) => `a${at}`)],
          hasMore: true,
        }),
        sizeOf: async () => others?.byteLength,
        read: async (_, start, end, claim) => {
          const bytes = others?.subarray(start, end);
          claim(bytes?.byteLength ?? 0);
          return bytes;
        },
      },
    };
    const file = boundedRanges(reads, source.byteLength, limits);
    const before = await measure(worker);
    const processor = await worker.cpuUsage();
    const { port1: port, port2 } = new MessageChannel();
    let largest = 0;
    const { memoryBytesMax } = scriptedKinds[this.#format];
    const watching = new AbortController();
    try {
      const ended = await new Promise<Pick<Outcome, 'preview' | 'refusal'>>((resolve, reject) => {
        const watch = setInterval(async () => {
          const [used, heap] = await Promise.all([worker.cpuUsage(processor), worker.getHeapStatistics()]).catch(
            () => [],
          );
          if (used === undefined || heap === undefined) return;
          largest = Math.max(largest, heap.used_heap_size + heap.external_memory - before.left);
          if ((used.user + used.system) / 1000 > processorMsMax) reject(new Error('the reading takes more than 2 s'));
          if (largest > memoryBytesMax) reject(new Error(`the reading takes ${largest} bytes of memory`));
        }, sampleMs);
        const limit = setTimeout(() => reject(new Error('the reading does not end')), answerMsMax);
        watching.signal.addEventListener('abort', () => {
          clearInterval(watch);
          clearTimeout(limit);
        });
        worker.once('error', reject);
        port.onmessage = ({ data, ports: [to] }: MessageEvent<Answered>) => {
          if (data.kind === 'read') void answer(file, data.request, to);
          else if (data.kind === 'shown') resolve({ preview: data.preview });
          else resolve({ refusal: data.refusal });
        };
        const started: Started = { format: this.#format, fileBytes: source.byteLength, limits, part };
        send(worker, { started }, port2);
      });
      const { used } = await measure(worker);
      return { ...ended, file, memoryBytes: Math.max(largest, used - before.left) };
    } catch (error) {
      this.#worker = undefined;
      await worker.terminate();
      throw error;
    } finally {
      watching.abort();
      worker.removeAllListeners('error');
      port.close();
    }
  }

  async #started(): Promise<Worker> {
    if (this.#worker !== undefined) return this.#worker;
    // A thread that exceeds its heap limit can end the process. Sampling the memory finds an excess before this.
    const maxOldGenerationSizeMb = Math.ceil((2 * scriptedKinds[this.#format].memoryBytesMax) / 1e6) + 256;
    const worker = new Worker(path.join(this.#folder, 'thread.js'), { resourceLimits: { maxOldGenerationSizeMb } });
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    worker.removeAllListeners('error');
    this.#worker = worker;
    return worker;
  }
}

function send(worker: Worker, message: object, port: MessagePort): void {
  worker.postMessage({ ...message, port }, [port as unknown as TransferredPort]);
}

async function answer(file: BoundedRanges, request: ReadRequest, to: MessagePort | undefined) {
  const answered = await readFrom(file, request).catch((error: unknown): Refusal => {
    const { reason, detail } = refusalOf(error);
    return { reason, detail };
  });
  to?.postMessage((answered ?? null) satisfies ReadAnswer);
}

/** Returns the memory of the thread. Collects garbage first if there is much of it. */
async function measure(worker: Worker): Promise<{ used: number; left: number }> {
  const { port1, port2 } = new MessageChannel();
  send(worker, {}, port2);
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => {
      port1.close();
      resolve(data);
    };
  });
}

function threadScript(script: string): string {
  return `
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
let read;
globalThis.addEventListener = (_, listener) => { read = listener; };
await import('./${script}');
parentPort.on('message', ({ started, port }) => {
  if (started !== undefined) return read({ data: started, ports: [port] });
  const used = memory();
  // Garbage collection takes much longer than most readings, so it runs only when needed.
  if (used > 64e6) collect();
  port.postMessage({ used, left: memory() });
  port.close();
});
parentPort.postMessage('started');
`;
}
