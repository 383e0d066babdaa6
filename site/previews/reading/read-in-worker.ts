import type { ReadingLimits, ScriptedFormat } from '../../../lib/pages/site/previews/scripted.ts';
import type { PartRequest, Preview } from '../preview.ts';
import { boundedRanges, type ReadRange } from './ranges.ts';
import { PreviewRefusal, type Refusal, refusalOf } from './refusal.ts';

/** The longest time that a format reader may compute between two reads. */
const thinkingMsMax = 10_000;

interface Reading {
  format: ScriptedFormat;
  fileBytes: number;
  limits: ReadingLimits;
  part: PartRequest;
  readRange: ReadRange;
}

/**
 * Runs a format reader in a worker. Terminates the worker when it has finished or takes too long. Rejects with
 * PreviewRefusal.
 */
export function readInWorker(
  workerUrl: string,
  { format, fileBytes, limits, part, readRange }: Reading,
): Promise<Preview> {
  const worker = new Worker(workerUrl, { type: 'module' });
  const { port1: port, port2 } = new MessageChannel();
  // The worker applies the same limits itself. The page checks them again, in case a malicious file takes control of
  // the worker.
  const file = boundedRanges(readRange, fileBytes, limits);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reading = new Promise<Preview>((resolve, reject) => {
    let reads = 0;
    const think = () => {
      clearTimeout(timer);
      if (reads === 0) timer = setTimeout(() => reject(new PreviewRefusal('too-slow')), thinkingMsMax);
    };
    const answer = async (start: number, end: number, to: MessagePort | undefined) => {
      reads += 1;
      clearTimeout(timer);
      try {
        const bytes = Uint8Array.from(await file.read(start, end));
        to?.postMessage(bytes satisfies RangeAnswer, [bytes.buffer]);
      } catch (error) {
        const { reason, detail } = refusalOf(error);
        to?.postMessage({ reason, detail } satisfies RangeAnswer);
      }
      to?.close();
      reads -= 1;
      think();
    };
    port.onmessage = ({ data, ports: [to] }: MessageEvent<Answered>) => {
      if (data.kind === 'read') void answer(data.start, data.end, to);
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

/** The first message from the page to the worker. */
export interface Started {
  format: ScriptedFormat;
  fileBytes: number;
  limits: ReadingLimits;
  part: PartRequest;
}

/** The answer of the page to a request for a range, sent to the port that came with the request. */
export type RangeAnswer = Uint8Array | Refusal;

/** A message from the worker to the page. */
export type Answered =
  | { kind: 'read'; start: number; end: number }
  | { kind: 'shown'; preview: Preview }
  | { kind: 'refused'; refusal: Refusal };
