import { counted, formatCount } from '../../../lib/pages/site/format.ts';
import { cellOf, cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import { isRecord, type Json, listOf } from '../../../lib/pages/site/previews/json.ts';
import type { Column } from '../../../lib/pages/site/tables.tsx';
import { type PartRequest, type Preview, type PreviewTable, rowsOfPart } from '../preview.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { boundsLabel, columnsOf, geographicMap, ShapeCollector } from './map.ts';

const featuresMax = 20_000;
const pointsMax = 200_000;
const columnsShown = 40;

/**
 * Reads the first features of a GeoJSON file. Shows their geometries as a map and their properties as a table.
 *
 * @param start the beginning of the file, if it was read already
 */
export async function readGeojson(file: BoundedRanges, part: PartRequest = {}, start?: Uint8Array): Promise<Preview> {
  const { fileBytes } = file;
  const bytes = start ?? (await file.read(0, Math.min(fileBytes, file.remaining().bytes)));
  const shapes = new ShapeCollector(pointsMax);
  const properties: Json[] = [];
  let features = 0;
  let isWhole = bytes.byteLength === fileBytes;
  for (const thing of featuresOf(new TextDecoder().decode(bytes))) {
    if (features >= featuresMax || shapes.isFull) {
      isWhole = false;
      break;
    }
    features += 1;
    if (!isRecord(thing)) continue;
    shapes.beginFeature(properties.length);
    // A GeoJSON file may contain a geometry without a feature around it.
    addGeometry(shapes, thing['type'] === 'Feature' ? thing['geometry'] : thing);
    properties.push(isRecord(thing['properties']) ? thing['properties'] : {});
  }
  if (features === 0) throw new PreviewRefusal(bytes.byteLength < fileBytes ? 'too-much-to-read' : 'empty');
  const count = counted(features, 'feature');
  const { skippedPoints } = shapes;
  const map = geographicMap(shapes, '', (bounds) => `Map of ${count}. ${boundsLabel}: ${bounds}.`);
  const table = tableOf(properties, part.row ?? 0, isWhole);
  return {
    ...(map && { map: { ...map, columns: columnsOf(properties) } }),
    ...(table && { table }),
    notes: [
      isWhole ? `${count}.` : `The first ${features === 1 ? 'feature' : count}.`,
      ...(skippedPoints === 1 ? ['One point without two finite coordinates is not shown.'] : []),
      ...(skippedPoints > 1
        ? [`${formatCount(skippedPoints)} points without two finite coordinates are not shown.`]
        : []),
      readNote(file),
    ],
    hasMore: !isWhole && bytes.byteLength < fileBytes && features < featuresMax && !shapes.isFull,
  };
}

/** Returns rows of the features that were already read, so that another part of the table needs no request. */
function tableOf(all: readonly Json[], firstRow: number, isWhole: boolean): PreviewTable | undefined {
  const last = Math.min(all.length, firstRow + rowsOfPart(columnsShown));
  const properties = all.slice(firstRow, last);
  const names = new Set(properties.flatMap((each) => Object.keys(each).slice(0, columnsShown)));
  const shown = [...names].slice(0, columnsShown);
  if (shown.length === 0) return undefined;
  const columns = shown.map((name): Column => {
    const values = properties.map((each) => propertyOf(each, name)).filter((value) => value != null);
    const types = new Set(values.map((value) => (Array.isArray(value) ? 'list' : typeof value)));
    const [type] = types;
    const isSame = types.size === 1 && type !== undefined;
    return { name: cutText(name, 80), ...(isSame && { type }), isNumber: isSame && type === 'number' };
  });
  return {
    columns,
    rows: properties.map((each) => shown.map((name) => cellOf(propertyOf(each, name) ?? null))),
    start: { row: firstRow },
    firstRow,
    hasIndex: true,
    ...(isWhole && { rowsInFile: all.length }),
    ...(last < all.length && { next: { row: last } }),
  };
}

/**
 * Returns an own property of the object. A plain access would also find inherited properties, such as `constructor`.
 */
function propertyOf(properties: Json, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The maximum nesting depth of a GeoJSON text. Normal GeoJSON has about eight levels. */
const depthMax = 200;

/**
 * Yields the features of a GeoJSON text. The text is a feature collection, one feature per line, or a single feature or
 * geometry. The text may end in the middle of a feature. That incomplete feature is ignored. Throws PreviewRefusal for
 * text that is not JSON.
 */
export function* featuresOf(text: string): Generator<unknown> {
  let at = nextToken(text, 0);
  if (text[at] !== '{') throw new PreviewRefusal('not-of-this-format');
  const list = findFeatures(text, at);
  if (list !== undefined) {
    yield* valuesOf(text, list);
    return;
  }
  while (text[at] === '{') {
    const end = endOfValue(text, at);
    if (end === undefined) return;
    yield parse(text.slice(at, end));
    at = nextToken(text, end);
  }
}

/** Returns the index at which the array `features` of a collection begins. */
function findFeatures(text: string, start: number): number | undefined {
  let at = nextToken(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = endOfValue(text, at);
    if (keyEnd === undefined) return undefined;
    const valueAt = nextToken(text, keyEnd);
    if (text.slice(at, keyEnd) === '"features"' && text[valueAt] === '[') return valueAt + 1;
    const valueEnd = endOfValue(text, valueAt);
    if (valueEnd === undefined) return undefined;
    at = nextToken(text, valueEnd);
  }
  return undefined;
}

function* valuesOf(text: string, start: number): Generator<unknown> {
  let at = nextToken(text, start);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    if (end === undefined) return;
    yield parse(text.slice(at, end));
    at = nextToken(text, end);
  }
}

/** Skips white space, record separators, and the commas and colons between values. */
function nextToken(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n,:\u001e\ufeff'.includes(text[at] ?? '')) at += 1;
  return at;
}

/** Returns the index at which a value ends. Returns undefined if the text ends inside the value. */
function endOfValue(text: string, start: number): number | undefined {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') return endOfPlainValue(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > depthMax) throw new PreviewRefusal('damaged');
    } else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Returns the index at which a number, `true`, `false`, or `null` ends. */
function endOfPlainValue(text: string, start: number): number | undefined {
  const length = text.slice(start, start + 400).search(/[,\]}\s]/);
  if (length === 0) throw new PreviewRefusal('damaged');
  return length === -1 ? undefined : start + length;
}

function endOfString(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PreviewRefusal('damaged', cause instanceof Error ? cause.message : '');
  }
}

const collectionDepthMax = 4;

type Draw = (shapes: ShapeCollector, coordinates: unknown) => void;

const drawnBy: Readonly<Record<string, Draw>> = {
  Point: (shapes, coordinates) => shapes.add('point', pointsOf([coordinates])),
  MultiPoint: (shapes, coordinates) => shapes.add('point', pointsOf(coordinates)),
  LineString: (shapes, coordinates) => addPath(shapes, 'line', coordinates),
  MultiLineString: (shapes, coordinates) => {
    for (const line of listOf(coordinates)) addPath(shapes, 'line', line);
  },
  Polygon: addArea,
  MultiPolygon: (shapes, coordinates) => {
    for (const area of listOf(coordinates)) addArea(shapes, area);
  },
};

/** Adds the shapes of a GeoJSON geometry to the map. Ignores a value that is no geometry. */
export function addGeometry(shapes: ShapeCollector, geometry: unknown, depth = 0): void {
  if (!isRecord(geometry) || shapes.isFull) return;
  const { type, coordinates, geometries } = geometry;
  if (type === 'GeometryCollection') {
    if (depth < collectionDepthMax) for (const part of listOf(geometries)) addGeometry(shapes, part, depth + 1);
  } else if (typeof type === 'string' && Object.hasOwn(drawnBy, type)) drawnBy[type]?.(shapes, coordinates);
}

function addArea(shapes: ShapeCollector, rings: unknown): void {
  shapes.beginArea();
  for (const ring of listOf(rings)) addPath(shapes, 'area', ring);
}

/**
 * Adds a line or ring to the map. If the path crosses the antimeridian (180 degrees), it is drawn at both edges of the
 * map. Otherwise a line would run across the whole map.
 */
function addPath(shapes: ShapeCollector, kind: 'line' | 'area', coordinates: unknown): void {
  const points = [...pointsOf(listOf(coordinates).slice(0, shapes.room))];
  const unwound = unwind(points);
  if (unwound === undefined) {
    shapes.add(kind, points);
    return;
  }
  shapes.add(kind, unwound, true);
  for (const turn of [-360, 360]) {
    const other = unwound.map(([x, y]): [number, number] => [x + turn, y]);
    if (other.some(([x]) => x > -180 && x < 180)) shapes.add(kind, other, true);
  }
}

/**
 * Returns the points with longitudes that continue beyond 180 degrees after the path crosses the antimeridian. Returns
 * undefined if the path does not cross it, or goes around a pole.
 */
function unwind(points: readonly [number, number][]): [number, number][] | undefined {
  let turn = 0;
  let leaps = 0;
  let before: number | undefined;
  const unwound = points.map(([x, y]): [number, number] => {
    if (before !== undefined && Math.abs(x - before) > 180 && Math.abs(x) <= 180 && Math.abs(before) <= 180) {
      turn += x > before ? -360 : 360;
      leaps += 1;
    }
    before = x;
    return [x + turn, y];
  });
  return leaps > 0 && turn === 0 ? unwound : undefined;
}

function* pointsOf(value: unknown): Generator<[number, number]> {
  for (const point of listOf(value)) {
    const [x, y] = listOf(point);
    yield typeof x === 'number' && typeof y === 'number' ? [x, y] : [Number.NaN, Number.NaN];
  }
}
