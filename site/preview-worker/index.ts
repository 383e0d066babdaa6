import { type ScriptedFormat, scriptedKinds } from '../../lib/pages/site/previews/scripted.ts';
import type { PartRequest, Preview } from '../previews/preview.ts';
import { type BoundedRanges, boundedRanges } from '../previews/reading/ranges.ts';
import type { Answered, RangeAnswer, Started } from '../previews/reading/read-in-worker.ts';
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
};

// This worker parses untrusted files. The page terminates the worker when it takes too long. The worker's Content
// Security Policy allows no connections, so the page reads the file and sends the bytes to the worker.
addEventListener('message', async ({ data, ports: [port] }: MessageEvent<Started>) => {
  if (port === undefined) return;
  const answer = (message: Answered, transferred: Transferable[] = []) => port.postMessage(message, transferred);
  const readRange = (start: number, end: number) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data: range }: MessageEvent<RangeAnswer>) => {
        port1.close();
        if (range instanceof Uint8Array) resolve(range);
        else reject(refusalOf(range));
      };
      answer({ kind: 'read', start, end }, [port2]);
    });
  try {
    const read = await readers[data.format]();
    const { memoryBytesMax } = scriptedKinds[data.format];
    const preview = await read(boundedRanges(readRange, data.fileBytes, data.limits, memoryBytesMax), data.part);
    answer({ kind: 'shown', preview }, partsOf(preview));
  } catch (error) {
    const { reason, detail } = refusalOf(error);
    answer({ kind: 'refused', refusal: { reason, detail } });
  }
});

/** Returns the buffers in a preview. The worker transfers them to the page without copying. */
function partsOf({ picture, map }: Preview): Transferable[] {
  const layers = (map?.layers ?? []).flatMap(({ points, starts, areas, owners }) =>
    [points, starts, areas, owners].flatMap((values) => values?.buffer ?? []),
  );
  const images = (map?.pictures ?? []).map(({ image }) => ('pixels' in image ? image.pixels.buffer : image));
  return [
    ...new Set([...layers, ...images, ...(picture === undefined ? [] : [picture.pixels.buffer])]),
  ] as Transferable[];
}
