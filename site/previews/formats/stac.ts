import { counted, formatCount } from '../../../lib/pages/site/format.ts';
import { cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import { isRecord, type Json, parseRecord, recordOf } from '../../../lib/pages/site/previews/json.ts';
import { linksBelow } from '../../../lib/pages/site/previews/stac-links.ts';
import type { DrawnMap, LinkedFile, LinkedFiles, PartRequest, Preview } from '../preview.ts';
import { type BoundedRanges, readNearNote, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { addGeometry, readGeojson } from './geojson.ts';
import { boundsLabel, columnsOf, geographicMap, ShapeCollector } from './map.ts';

const boxesMax = 1000;
const linkedMax = 300;
const titleMax = 200;
const footprintPointsMax = 200_000;
/** The number of linked files that are read at the same time. */
const batchSize = 10;
/** Items usually have some kB. A longer file shows no footprint. */
const linkedBytesMax = 256_000;

/**
 * Draws the footprints of STAC items, the extent of a STAC collection, or the footprints of the files to which a
 * catalog or collection links. The page shows the file's other content without this script.
 */
export async function readStac(file: BoundedRanges, part: PartRequest = {}): Promise<Preview> {
  if (part.linked !== undefined) return readLinked(file, part.linked);
  const bytes = await file.read(0, Math.min(file.fileBytes, file.remaining().bytes));
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('"stac_version"')) throw new PreviewRefusal('not-of-this-format');
  const { boxes, isItem, linked } = inspect(text);
  if (linked.count > 0) return readFootprints(file, boxes, linked);
  if (boxes === undefined) {
    const { table, ...preview } = await readGeojson(file, part, bytes);
    // The page shows the properties of a single STAC item without this script.
    return isItem || table === undefined ? preview : { ...preview, table };
  }
  const map = extentMap(boxes);
  if (map === undefined) throw new PreviewRefusal('empty');
  return { map, notes: ['The extent of the collection.', readNote(file)] };
}

/** Returns no parsed value, so that its memory can be freed before the items are read. */
function inspect(text: string): { boxes: number[][] | undefined; isItem: boolean; linked: LinkedFiles } {
  // A text that ends in the middle of a list of items is no JSON.
  const root = parseRecord(text);
  return { boxes: boxesOf(root), isItem: root?.['type'] === 'Feature', linked: linkedOf(root ?? {}, '') };
}

/** Reads a linked file. Returns the files to which it links. */
async function readLinked(file: BoundedRanges, path: string): Promise<Preview> {
  const bytes = await file.readNear(path, 0, file.remaining().bytes);
  if (bytes === undefined) throw new PreviewRefusal('no-linked-file');
  const root = parseRecord(new TextDecoder().decode(bytes));
  if (root === undefined) throw new PreviewRefusal('damaged');
  return { linked: linkedOf(root, path), notes: [] };
}

/** @param from the path of the file with the links */
function linkedOf(root: Json, from: string): LinkedFiles {
  const links = linksBelow(root);
  const files = links.slice(0, linkedMax).map(({ href, title, rel }): LinkedFile => {
    const path = typeof href === 'string' ? pathBelow(from, href) : undefined;
    const shown = [title, path, href].find((text) => typeof text === 'string' && text !== '');
    return { path, title: cutText(String(shown ?? 'File without a name'), titleMax), isList: rel === 'child' };
  });
  return { files, count: links.length };
}

/**
 * Resolves a relative link to a path below the folder of the opened file. Returns undefined for a link that leaves this
 * folder.
 */
function pathBelow(from: string, href: string): string | undefined {
  const [stated = ''] = href.split(/[?#]/, 1);
  if (/^([a-z][a-z0-9+.-]*:|[/\\])/i.test(stated)) return undefined;
  let decoded: string;
  try {
    decoded = decodeURIComponent(stated);
  } catch {
    return undefined;
  }
  const parts = from.split('/').slice(0, -1);
  for (const part of decoded.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

/** Reads linked files until the limits are reached, and draws their footprints. */
async function readFootprints(file: BoundedRanges, boxes: number[][] | undefined, linked: LinkedFiles) {
  const readable = linked.files.flatMap(({ path, title }) => (path === undefined ? [] : [{ path, title }]));
  const wanted = readable.slice(0, file.remaining().requests);
  const shapes = new ShapeCollector(footprintPointsMax);
  const rows: Json[] = [];
  let filesRead = 0;
  let isTooMuch = false;
  for (let start = 0; start < wanted.length && !isTooMuch && !shapes.isFull; start += batchSize) {
    const roots = await Promise.all(
      wanted.slice(start, start + batchSize).map(async ({ path, title }) => {
        try {
          const bytes = await file.readNear(path, 0, linkedBytesMax);
          return { title, root: bytes && parseRecord(new TextDecoder().decode(bytes)) };
        } catch (error) {
          if (error instanceof PreviewRefusal && error.reason === 'too-much-to-read') isTooMuch = true;
          return { title, root: undefined };
        }
      }),
    );
    for (const { title, root } of roots) {
      if (root === undefined) continue;
      filesRead += 1;
      shapes.beginFeature(rows.length);
      const before = shapes.points;
      addFootprint(shapes, root);
      if (shapes.points > before) rows.push({ title, datetime: recordOf(root['properties'])['datetime'] ?? null });
    }
  }
  const drawn = geographicMap(
    shapes,
    '',
    (bounds) => `Map of ${counted(rows.length, 'footprint')}. ${boundsLabel}: ${bounds}.`,
  );
  const map = drawn === undefined ? extentMap(boxes ?? []) : { ...drawn, columns: columnsOf(rows) };
  const outside = linked.files.length - readable.length;
  const notes = [
    `${formatCount(filesRead)} of ${counted(linked.count, 'linked file')} read, ${counted(rows.length, 'footprint')} found.`,
    ...(outside > 0 ? [`${counted(outside, 'link')} out of this folder not followed.`] : []),
    ...(drawn === undefined && map !== undefined ? ['The map shows the extent of the collection.'] : []),
    readNearNote(file),
  ];
  return { ...(map && { map }), linked, notes, hasMore: isTooMuch || wanted.length < readable.length };
}

function addFootprint(shapes: ShapeCollector, root: Json): void {
  const [box] = boxesOf(root) ?? [];
  if (isRecord(root['geometry'])) addGeometry(shapes, root['geometry']);
  else if (box !== undefined) addBox(shapes, box);
}

function extentMap(boxes: readonly number[][]): DrawnMap | undefined {
  const shapes = new ShapeCollector(boxesMax * 5);
  for (const [row, box] of boxes.slice(0, boxesMax).entries()) {
    shapes.beginFeature(row);
    addBox(shapes, box);
  }
  return geographicMap(shapes, '', (bounds) => `Map of ${counted(boxes.length, 'extent')}. ${boundsLabel}: ${bounds}.`);
}

function addBox(shapes: ShapeCollector, box: readonly number[]): void {
  const half = box.length / 2;
  const [west = 0, south = 0, east = 0, north = 0] = [box[0], box[1], box[half], box[half + 1]];
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

/** Returns the bounding boxes of a collection. Returns undefined for other content. */
function boxesOf(root: Json | undefined): number[][] | undefined {
  const boxes = recordOf(recordOf(root?.['extent'])['spatial'])['bbox'];
  if (!Array.isArray(boxes)) return undefined;
  return boxes.filter((box): box is number[] => {
    const isBox = Array.isArray(box) && (box.length === 4 || box.length === 6);
    return isBox && box.every((value) => typeof value === 'number');
  });
}
