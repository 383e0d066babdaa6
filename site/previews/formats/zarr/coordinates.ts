import { significantText } from '../../../../lib/pages/site/previews/cell-text.ts';
import type { Json } from '../../../../lib/pages/site/previews/json.ts';
import type { BoundedRanges } from '../../reading/ranges.ts';
import { refusalOf } from '../../reading/refusal.ts';
import { openChunks } from './chunks.ts';
import { type ArrayInfo, checkArray, type ZarrStore } from './metadata.ts';

/** The maximum size of a coordinate array that is read. */
const coordinateBytesMax = 160_000;
const coordinatesMax = 4;

/** The coordinates of a dimension: one number and one text for each index. */
export interface Coordinates {
  numbers: Float64Array;
  labels: string[];
}

/**
 * Reads the coordinates of an array's dimensions, where they are small arrays of one chunk. By convention, they have
 * the name of their dimension. Returns undefined for a dimension without such an array.
 */
export async function readCoordinates(
  file: BoundedRanges,
  store: ZarrStore,
  { path, dimensions, shape }: ArrayInfo,
): Promise<(Coordinates | undefined)[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  let reads = 0;
  return Promise.all(
    dimensions.map(async (name, at) => {
      const node = store.arrays.get(folder + name);
      if (node === undefined || node.path === path) return undefined;
      try {
        const array = checkArray(node);
        const [size = 0] = array.shape;
        const isCheap = (array.chunks[0] ?? 0) >= size && array.chunkBytes <= coordinateBytesMax;
        if (array.shape.length !== 1 || size !== shape[at] || !isCheap || reads === coordinatesMax) return undefined;
        reads += 1;
        const { valueAt } = await (await openChunks(file, array))([0]);
        const numbers = Float64Array.from({ length: size }, (_, index) => valueAt(index));
        return { numbers, labels: labelsOf(numbers, array.attributes) };
      } catch (error) {
        // Without labels, the array's values can still be shown.
        refusalOf(error);
        return undefined;
      }
    }),
  );
}

const unitMs = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const calendars = [undefined, 'standard', 'gregorian', 'proleptic_gregorian'];

/** Formats coordinates. Time coordinates are numbers with a unit such as `hours since 1900-01-01` (CF conventions). */
function labelsOf(numbers: Float64Array, { units, calendar }: Json): string[] {
  const [, unit = '', start = ''] =
    /^(\w+?)s? since (\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?)/.exec(String(units)) ?? [];
  const ms = Object.entries(unitMs).find(([name]) => name === unit)?.[1];
  const [date = '', time = '00:00'] = start.split(/[ T]/);
  const [year = '', month = '', day = ''] = date.split('-');
  const first = Date.parse(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time.padStart(5, '0')}Z`);
  const isTime = ms !== undefined && !Number.isNaN(first) && calendars.includes(calendar as string | undefined);
  return Array.from(numbers, (value) => {
    const at = new Date(isTime ? first + value * ms : Number.NaN);
    if (Number.isNaN(at.getTime())) return significantText(value, 7);
    return at.toISOString().slice(0, 16).replace('T', ' ').replace(' 00:00', '');
  });
}
