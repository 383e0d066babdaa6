import { type ScriptedFormat, scriptedKinds } from '../../lib/pages/site/previews/scripted.ts';
import type { PartRequest, Preview } from '../previews/preview.ts';
import type { ListedFolders } from '../previews/reading/listed-folders.ts';
import { type BoundedRanges, boundedRanges, type PreviewReads } from '../previews/reading/ranges.ts';
import type { Answered, ReadAnswer, ReadRequest, Started } from '../previews/reading/read-in-worker.ts';
import { refusalOf } from '../previews/reading/refusal.ts';

type Reader = (file: BoundedRanges, part: PartRequest) => Promise<Preview>;

/** The reader of each format. Its code is loaded when the user opens the first file of that format. */
const readers: Readonly<Record<ScriptedFormat, () => Promise<Reader>>> = {
  csv: async () => (await import('../previews/formats/csv.ts')).textTableReader(),
  tsv: async () => (await import('../previews/formats/csv.ts')).textTableReader('\t'),
  parquet: async () => (await import('../previews/formats/parquet.ts')).readParquet,
  geojson: async () => (await import('../previews/formats/geojson.ts')).readGeojson,
  stac: async () => (await import('../previews/formats/stac.ts')).readStac,
  pmtiles: async () => (await import('../previews/formats/pmtiles.ts')).readPmtiles,
  geotiff: async () => (await import('../previews/formats/geotiff.ts')).readGeotiff,
  zarr: async () => (await import('../previews/formats/zarr.ts')).readZarr,
};

// This worker parses untrusted files. The page terminates the worker when it takes too long. The worker's Content
// Security Policy allows no connections, so the page reads the file and sends the bytes.
addEventListener('message', async ({ data, ports: [port] }: MessageEvent<Started>) => {
  if (port === undefined) return;
  const answer = (message: Answered, transferred: Transferable[] = []) => port.postMessage(message, transferred);
  const request = <T extends Exclude<ReadAnswer, null> | undefined>(wanted: ReadRequest) =>
    new Promise<T>((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data: found }: MessageEvent<ReadAnswer>) => {
        port1.close();
        if (found === null || typeof found === 'number' || found instanceof Uint8Array || 'names' in found)
          resolve((found ?? undefined) as T);
        else reject(refusalOf(found));
      };
      answer({ kind: 'read', request: wanted }, [port2]);
    });
  const reads: PreviewReads = {
    readRange: (start, end) => request<Uint8Array>({ start, end }),
    folder: {
      list: (list) => request<ListedFolders>({ list }),
      sizeOf: (path) => request<number | undefined>({ path, start: 0, end: undefined }),
      read: async (path, start, end, claim) => {
        const bytes = await request<Uint8Array | undefined>({ path, start, end });
        claim(bytes?.byteLength ?? 0);
        return bytes;
      },
    },
  };
  try {
    const read = await readers[data.format]();
    const { memoryBytesMax } = scriptedKinds[data.format];
    const preview = await read(boundedRanges(reads, data.fileBytes, data.limits, memoryBytesMax), data.part);
    answer({ kind: 'shown', preview }, partsOf(preview));
  } catch (error) {
    const { reason, detail } = refusalOf(error);
    answer({ kind: 'refused', refusal: { reason, detail } });
  }
});

/** Returns the buffers in a preview, which the worker transfers to the page without copying. */
function partsOf({ picture, map, slice }: Preview): Transferable[] {
  const layers = (map?.layers ?? []).flatMap(({ points, starts, areas, owners }) =>
    [points, starts, areas, owners].flatMap((values) => values?.buffer ?? []),
  );
  const images = (map?.pictures ?? []).map(({ image }) => ('pixels' in image ? image.pixels.buffer : image));
  return [
    ...new Set([
      ...layers,
      ...images,
      ...(picture === undefined ? [] : [picture.pixels.buffer]),
      ...(slice === undefined ? [] : [slice.image.pixels.buffer, slice.values.buffer]),
    ]),
  ] as Transferable[];
}
