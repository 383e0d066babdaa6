import type { ReadingLimits, ScriptedFormat } from '../../../lib/pages/site/previews/scripted.ts';
import type { PartRequest, Preview } from '../preview.ts';
import type { ListedFolders } from './listed-folders.ts';
import { type BoundedRanges, boundedRanges, type PreviewReads } from './ranges.ts';
import { PreviewRefusal, type Refusal, refusalOf } from './refusal.ts';

/** The maximum time that a format reader may compute between two reads. */
const thinkingMsMax = 10_000;

interface Reading {
  format: ScriptedFormat;
  fileBytes: number;
  limits: ReadingLimits;
  part: PartRequest;
  reads: PreviewReads;
}

/**
 * Runs a format reader in a worker. Terminates the worker when the reader has finished or takes too long. Rejects with
 * PreviewRefusal.
 */
export function readInWorker(workerUrl: string, { format, fileBytes, limits, part, reads }: Reading): Promise<Preview> {
  const worker = new Worker(workerUrl, { type: 'module' });
  const { port1: port, port2 } = new MessageChannel();
  // The worker applies these limits itself. The page checks them again, because a malicious file may take control of
  // the worker.
  const file = boundedRanges(reads, fileBytes, limits);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reading = new Promise<Preview>((resolve, reject) => {
    let readsInFlight = 0;
    const think = () => {
      clearTimeout(timer);
      if (readsInFlight === 0) timer = setTimeout(() => reject(new PreviewRefusal('too-slow')), thinkingMsMax);
    };
    const answer = async (request: ReadRequest, to: MessagePort | undefined) => {
      readsInFlight += 1;
      clearTimeout(timer);
      try {
        const found = await readFrom(file, request);
        if (found instanceof Uint8Array) {
          const bytes = Uint8Array.from(found);
          to?.postMessage(bytes satisfies ReadAnswer, [bytes.buffer]);
        } else to?.postMessage((found ?? null) satisfies ReadAnswer);
      } catch (error) {
        const { reason, detail } = refusalOf(error);
        to?.postMessage({ reason, detail } satisfies ReadAnswer);
      }
      to?.close();
      readsInFlight -= 1;
      think();
    };
    port.onmessage = ({ data, ports: [to] }: MessageEvent<Answered>) => {
      if (data.kind === 'read') void answer(data.request, to);
      else if (data.kind === 'shown') resolve(data.preview);
      else reject(refusalOf(data.refusal));
    };
    worker.onerror = () => reject(new PreviewRefusal('damaged'));
    think();
  });
  worker.postMessage({ format, fileBytes, limits, part } satisfies Started, [port2]);
  return reading.finally(() => {
    clearTimeout(timer);
    worker.terminate();
    port.close();
  });
}

/** Reads the ranges and lists that a worker requests, within the read limits of the preview. */
export function readFrom(
  file: BoundedRanges,
  request: ReadRequest,
): Promise<Uint8Array | number | ListedFolders | undefined> {
  if ('list' in request) return file.listNear(request.list);
  const { path, start, end } = request;
  if (path === undefined) return file.read(start, end);
  return end === undefined ? file.sizeNear(path) : file.readNear(path, start, end);
}

/** The first message from the page to the worker. */
export interface Started {
  format: ScriptedFormat;
  fileBytes: number;
  limits: ReadingLimits;
  part: PartRequest;
}

/**
 * A request for a range of the previewed file, or of another file below its folder. Without an end, it requests the
 * size of the other file. Or a request for the folders below a folder.
 */
export type ReadRequest =
  | { list: string }
  | { path?: undefined; start: number; end: number }
  | { path: string; start: number; end: number | undefined };

/**
 * The page's answer to a read request: bytes, a size, a list of folders, or the reason of a refusal. Null if the other file does not
 * exist.
 */
export type ReadAnswer = Uint8Array | number | ListedFolders | null | Refusal;

/** A message from the worker to the page. */
export type Answered =
  | { kind: 'read'; request: ReadRequest }
  | { kind: 'shown'; preview: Preview }
  | { kind: 'refused'; refusal: Refusal };
