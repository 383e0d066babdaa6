import { render } from 'preact';
import { type ScriptedFormat, type ScriptedKind, scriptedKinds } from '../../lib/pages/site/previews/scripted.ts';
import type { PartRequest, Preview } from './preview.ts';
import { cacheReads, type ReadRange } from './reading/ranges.ts';
import { readInWorker } from './reading/read-in-worker.ts';
import { refusalText } from './reading/refusal.ts';
import { PreviewView } from './view/preview-view.tsx';

export interface PreviewedFile {
  format: ScriptedFormat;
  bytes: number;
  /** The URL of the worker script that reads the file. */
  workerUrl: string;
  /** Creates a function that reads one state of the file. */
  openRanges: () => ReadRange;
}

const cachedBytesMax = 16_000_000;

/** Shows a scripted preview in an element, which has `aria-busy` while the worker reads the file. */
export async function showPreview(
  element: HTMLElement,
  { format, bytes, workerUrl, openRanges }: PreviewedFile,
): Promise<void> {
  const { limits, moreLimits = limits }: ScriptedKind = scriptedKinds[format];
  const readRange = cacheReads(openRanges(), cachedBytesMax);
  let preview: Preview | undefined;
  /** Without a part, shows the first view. A part that the user asks for has larger limits. */
  const show = async (part?: PartRequest): Promise<void> => {
    element.setAttribute('aria-busy', 'true');
    let message: string | undefined;
    try {
      const read = await readInWorker(workerUrl, {
        format,
        fileBytes: bytes,
        limits: part === undefined ? limits : moreLimits,
        part: part ?? {},
        readRange,
      });
      preview = { ...read, hasMore: read.hasMore === true && part === undefined };
    } catch (error) {
      message = refusalText(error);
    }
    render(<PreviewView {...{ preview, message }} readPart={show} />, element);
    element.removeAttribute('aria-busy');
  };
  await show();
}
