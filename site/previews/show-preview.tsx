import { render } from 'preact';
import { type ScriptedFormat, type ScriptedKind, scriptedKinds } from '../../lib/pages/site/previews/scripted.ts';
import type { ArraySlice, DrawnMap, LinkedFiles, Look, PartRequest, Preview, SliceChoice } from './preview.ts';
import { cacheReads, type PreviewReads } from './reading/ranges.ts';
import { readInWorker } from './reading/read-in-worker.ts';
import { PreviewRefusal, refusalOf, refusalText } from './reading/refusal.ts';
import type { PagesOfFiles } from './view/linked-view.tsx';
import { PreviewView } from './view/preview-view.tsx';

export interface PreviewedFile {
  format: ScriptedFormat;
  bytes: number;
  /** The URL of the worker script that reads the file. */
  workerUrl: string;
  /** Creates functions that read the file, and the files below its folder, always in the same state. */
  openReads: () => PreviewReads;
  /** The pages of other files, to which the preview links. Without it, the preview has no links. */
  pages?: PagesOfFiles | undefined;
}

const cachedBytesMax = 16_000_000;

/** Shows a scripted preview in an element, which has `aria-busy` while the worker reads the file. */
export async function showPreview(
  element: HTMLElement,
  { format, bytes, workerUrl, openReads, pages }: PreviewedFile,
): Promise<void> {
  const { limits, moreLimits = limits, lookLimits = limits, hasFolder }: ScriptedKind = scriptedKinds[format];
  const { readRange, folder } = cacheReads(openReads(), cachedBytesMax);
  // Reads of other files are passed to the worker only if the format consists of several files.
  const reads = { readRange, folder: hasFolder ? folder : undefined };
  const read = (part: PartRequest, allowed: typeof limits) =>
    readInWorker(workerUrl, { format, fileBytes: bytes, limits: allowed, part, reads });
  let hasReadMore = false;
  /** Reads a part. Throws the refusal's text for readers if this fails. */
  const readPart = async (part: PartRequest): Promise<Preview> => {
    try {
      return await read(part, hasReadMore ? moreLimits : lookLimits);
    } catch (error) {
      throw new Error(refusalText(error, format));
    }
  };
  const look = async (shown: Look): Promise<DrawnMap> => {
    const { map } = await readPart({ look: shown });
    if (map === undefined) throw new Error(refusalText(new PreviewRefusal('empty'), format));
    return map;
  };
  const readSlice = async (choice: SliceChoice, wantsMore: boolean): Promise<ArraySlice> => {
    hasReadMore ||= wantsMore;
    const { slice } = await readPart({ slice: choice });
    if (slice === undefined) throw new Error(refusalText(new PreviewRefusal('empty'), format));
    return slice;
  };
  const readLinked = async (path: string): Promise<LinkedFiles> => {
    const { linked } = await readPart({ linked: path });
    if (linked === undefined) throw new Error(refusalText(new PreviewRefusal('empty'), format));
    return linked;
  };
  let preview: Preview | undefined;
  /** Without a part, shows the first view. A part that the user requests has larger read limits. */
  const show = async (part?: PartRequest): Promise<void> => {
    element.setAttribute('aria-busy', 'true');
    let message: string | undefined;
    let canReadMore = false;
    hasReadMore ||= part !== undefined;
    try {
      const shown = await read(part ?? {}, part === undefined ? limits : moreLimits);
      // A request for other table rows returns no map, so keep the current map.
      const map = shown.map ?? (part?.row === undefined ? undefined : preview?.map);
      preview = { ...shown, ...(map && { map }), hasMore: shown.hasMore === true && part === undefined };
    } catch (error) {
      message = refusalText(error, format);
      const { reason } = refusalOf(error);
      canReadMore = reason === 'too-much-to-read' && part === undefined && moreLimits !== limits;
    }
    // Load the code of maps, arrays, and linked files only when the first one is shown.
    const MapView = preview?.map && (await import('./view/map/map-view.tsx')).MapView;
    const SliceView = preview?.slice && (await import('./view/slice-view.tsx')).SliceView;
    const LinkedView = preview?.linked && (await import('./view/linked-view.tsx')).LinkedView;
    const views = { MapView, SliceView, LinkedView, look, readSlice, readLinked, pages };
    render(<PreviewView {...{ preview, message, canReadMore, ...views }} readPart={show} />, element);
    element.removeAttribute('aria-busy');
  };
  await show();
}
