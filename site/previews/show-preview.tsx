import { render } from 'preact';
import { type ScriptedFormat, type ScriptedKind, scriptedKinds } from '../../lib/pages/site/previews/scripted.ts';
import type { DrawnMap, Look, PartRequest, Preview } from './preview.ts';
import { cacheReads, type ReadRange } from './reading/ranges.ts';
import { readInWorker } from './reading/read-in-worker.ts';
import { PreviewRefusal, refusalOf, refusalText } from './reading/refusal.ts';
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
  const { limits, moreLimits = limits, lookLimits = limits }: ScriptedKind = scriptedKinds[format];
  const readRange = cacheReads(openRanges(), cachedBytesMax);
  const read = (part: PartRequest, allowed: typeof limits) =>
    readInWorker(workerUrl, { format, fileBytes: bytes, limits: allowed, part, readRange });
  let hasReadMore = false;
  const look = async (shown: Look): Promise<DrawnMap> => {
    try {
      const { map } = await read({ look: shown }, hasReadMore ? moreLimits : lookLimits);
      if (map === undefined) throw new PreviewRefusal('empty');
      return map;
    } catch (error) {
      throw new Error(refusalText(error, format));
    }
  };
  let preview: Preview | undefined;
  /** Without a part, shows the first view. A part that the user asks for has larger limits. */
  const show = async (part?: PartRequest): Promise<void> => {
    element.setAttribute('aria-busy', 'true');
    let message: string | undefined;
    let canReadMore = false;
    hasReadMore ||= part !== undefined;
    try {
      const shown = await read(part ?? {}, part === undefined ? limits : moreLimits);
      // Other rows of a table come without the map, which stays as it is.
      const map = shown.map ?? (part?.row === undefined ? undefined : preview?.map);
      preview = { ...shown, ...(map && { map }), hasMore: shown.hasMore === true && part === undefined };
    } catch (error) {
      message = refusalText(error, format);
      const { reason } = refusalOf(error);
      canReadMore = reason === 'too-much-to-read' && part === undefined && moreLimits !== limits;
    }
    // The code of maps is loaded when the first map is shown.
    const MapView = preview?.map && (await import('./view/map/map-view.tsx')).MapView;
    render(<PreviewView {...{ preview, message, canReadMore, look, MapView }} readPart={show} />, element);
    element.removeAttribute('aria-busy');
  };
  await show();
}
