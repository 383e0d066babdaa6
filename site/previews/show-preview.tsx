import { render } from 'preact';
import {
  type ReadingLimits,
  type ScriptedFormat,
  type ScriptedKind,
  scriptedKinds,
} from '../../lib/pages/site/previews/scripted.ts';
import type { ReadRange } from './reading/ranges.ts';
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

/** Shows a scripted preview in an element, which has `aria-busy` while the worker reads the file. */
export async function showPreview(
  element: HTMLElement,
  file: PreviewedFile,
  limits: ReadingLimits = scriptedKinds[file.format].limits,
): Promise<void> {
  const { format, bytes, workerUrl, openRanges } = file;
  element.setAttribute('aria-busy', 'true');
  try {
    const preview = await readInWorker(workerUrl, { format, fileBytes: bytes, limits, readRange: openRanges() });
    const { moreLimits }: ScriptedKind = scriptedKinds[format];
    const readMore =
      moreLimits === undefined || limits === moreLimits ? undefined : () => void showPreview(element, file, moreLimits);
    render(<PreviewView preview={preview} readMore={readMore} />, element);
  } catch (error) {
    render(<p class="notice">{refusalText(error)}</p>, element);
  }
  element.removeAttribute('aria-busy');
}
