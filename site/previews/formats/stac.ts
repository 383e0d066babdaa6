import { counted } from '../../../lib/pages/site/format.ts';
import { type Json, parseRecord, recordOf } from '../../../lib/pages/site/previews/json.ts';
import type { PartRequest, Preview } from '../preview.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { readGeojson } from './geojson.ts';
import { boundsLabel, geographicMap, ShapeCollector } from './map.ts';

const boxesMax = 1000;

/**
 * Draws the footprints of STAC items, or the extent of a STAC collection. Footprints are GeoJSON. The page shows the
 * file's other content without this script.
 */
export async function readStac(file: BoundedRanges, part: PartRequest = {}): Promise<Preview> {
  const bytes = await file.read(0, Math.min(file.fileBytes, file.remaining().bytes));
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('"stac_version"')) throw new PreviewRefusal('not-of-this-format');
  const { boxes, isItem } = inspect(text);
  if (boxes === undefined) {
    const { table, ...preview } = await readGeojson(file, part, bytes);
    // The page shows the properties of a single STAC item without this script.
    return isItem || table === undefined ? preview : { ...preview, table };
  }
  const shapes = new ShapeCollector(boxesMax * 5);
  for (const [row, box] of boxes.slice(0, boxesMax).entries()) {
    const half = box.length / 2;
    const [west = 0, south = 0, east = 0, north = 0] = [box[0], box[1], box[half], box[half + 1]];
    shapes.beginFeature(row);
    // A box across the antimeridian has a west longitude greater than its east longitude.
    const turns: [number, number][] = [
      [west, 180],
      [-180, east],
    ];
    for (const [left, right] of west <= east ? [[west, east] as const] : turns) {
      shapes.beginArea();
      shapes.add('area', [
        [left, south],
        [right, south],
        [right, north],
        [left, north],
        [left, south],
      ]);
    }
  }
  const map = geographicMap(
    shapes,
    '',
    (bounds) => `Map of ${counted(boxes.length, 'extent')}. ${boundsLabel}: ${bounds}.`,
  );
  if (map === undefined) throw new PreviewRefusal('empty');
  return { map, notes: ['The extent of the collection.', readNote(file)] };
}

/** Returns no parsed value, so that its memory can be freed before the items are read. */
function inspect(text: string): { boxes: number[][] | undefined; isItem: boolean } {
  // A text that ends in the middle of a list of items is no JSON.
  const root = parseRecord(text);
  return { boxes: boxesOf(root), isItem: root?.['type'] === 'Feature' };
}

/** Returns the bounding boxes of a collection. Returns undefined for other content. */
function boxesOf(root: Json | undefined): number[][] | undefined {
  const boxes = recordOf(recordOf(root?.['extent'])['spatial'])['bbox'];
  if (!Array.isArray(boxes)) return undefined;
  return boxes.filter((box): box is number[] => {
    const isBox = Array.isArray(box) && (box.length === 4 || box.length === 6);
    return isBox && box.every((value) => typeof value === 'number');
  });
}
