import type { FileMetaData, RowGroup, SchemaTree } from 'hyparquet';
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import { counted, formatCount } from '../../../../lib/pages/site/format.ts';
import { type Cell, cellOf } from '../../../../lib/pages/site/previews/cell-text.ts';
import { isRecord } from '../../../../lib/pages/site/previews/json.ts';
import type { DrawnMap, Extent, Look } from '../../preview.ts';
import type { BoundedRanges } from '../../reading/ranges.ts';
import { emptyExtent, widen } from '../extent.ts';
import { addGeometry } from '../geojson.ts';
import { boundsLabel, boundsText, columnOf, ShapeCollector, shownExtent } from '../map.ts';
import { readColumns, selectColumns } from './columns.ts';
import { boundsOfGroup, type GeometryColumn } from './geometry-column.ts';
import type { PageSelection } from './page-selection.ts';
import { type ByteRange, planRanges } from './ranges.ts';

const pointsMax = 200_000;
const featuresMax = 50_000;
/** The maximum number of properties that are read for the map's features. */
const propertiesRead = 6;
/** The maximum size of a geometry. The coordinates of a larger one would take too much memory. */
const geometryBytesMax = 4_000_000;
/** The maximum number of geometry bytes that are parsed. A dictionary can repeat one large geometry for each row. */
const parsedBytesMax = 16_000_000;

interface MapReading {
  metadata: FileMetaData;
  trees: readonly SchemaTree[];
  flat: ReadonlySet<string>;
  geometry: GeometryColumn;
  look: Look | undefined;
}

interface SelectedGroup {
  index: number;
  group: RowGroup;
  rows: number;
  selections: PageSelection[];
  ranges: ByteRange[];
}

/**
 * Reads the geometries of the row groups that intersect the user's viewport, up to the limits. If not all groups fit,
 * takes groups from all parts of the file.
 */
export async function readGeometries(file: BoundedRanges, reading: MapReading): Promise<DrawnMap | undefined> {
  const { metadata, geometry, look } = reading;
  const { projection } = geometry;
  const groupBounds = metadata.row_groups.map((group) => boundsOfGroup(group, geometry));
  const extents = groupBounds.map((bounds) => bounds && projection.extentOf(bounds));
  const meeting = [...metadata.row_groups.keys()].filter((index) => {
    const extent = extents[index];
    return look === undefined || extent === undefined || meets(extent, look.extent);
  });
  const names = [geometry.name, ...propertiesOf(reading)];
  const selected = await selectGroups(file, meeting, names, reading);
  const shapes = new ShapeCollector(pointsMax, projection.within);
  const values: (number | bigint | Cell)[][] = names.slice(1).map(() => []);
  let shownRows = 0;
  let features = 0;
  let unreadable = 0;
  let parsedBytes = 0;
  const isFull = () => shapes.isFull || features >= featuresMax || parsedBytes > parsedBytesMax;
  // The requests run concurrently. Row groups are decoded one after another, because each group can take much memory.
  await Promise.all(selected.flatMap(({ ranges }) => ranges.map(({ start, end }) => file.read(start, end))));
  for (const { group, rows, selections, ranges } of selected) {
    if (isFull()) break;
    const wanted = { start: 0, count: rows };
    const columns = await readColumns(file, selections, ranges, { ...reading, group, names, wanted });
    const [geometries = [], ...properties] = columns;
    for (const [row, value] of geometries.entries()) {
      if (isFull()) break;
      shownRows += 1;
      if (value === null) continue;
      shapes.beginFeature(features);
      if (value instanceof Uint8Array) parsedBytes += value.byteLength;
      const parsed = geojsonOf(value, geometry.encoding);
      if (parsed === undefined) unreadable += 1;
      else addGeometry(shapes, parsed);
      for (const [at, column] of properties.entries()) values[at]?.push(propertyOf(column?.[row]));
      features += 1;
    }
  }
  if (look === undefined && shapes.points === 0) return undefined;
  const bounds = wholeBounds(geometry, groupBounds, shapes.extent);
  const isWhole = shownRows === Number(metadata.num_rows);
  const isIndexed = extents.some((extent) => extent !== undefined);
  return {
    plane: projection.plane,
    extent: shownExtent(bounds, projection),
    layers: shapes.layers('', projection.toPlane),
    columns: names.slice(1).map((name, at) => columnOf(name, values[at] ?? [])),
    ...(!isWhole && isIndexed && { reads: 'next' as const }),
    notes: [
      shownNote(reading, { rows: shownRows, groups: selected.length, meeting: meeting.length, isWhole, isIndexed }),
      ...(unreadable === 0 ? [] : [`${counted(unreadable, 'geometry', 'geometries')} cannot be shown.`]),
      ...(shapes.isFull ? ['The map shows only some of the points.'] : []),
      ...geometry.notes,
    ],
    description: `Map of ${counted(features, 'feature')}. ${boundsLabel}: ${boundsText(bounds)}.`,
  };
}

/** Returns the name of a geometry's type, as the text of a table cell. */
export function geometryText(value: unknown): unknown {
  if (!(value instanceof Uint8Array) || value.byteLength < 5) return value;
  const type = new DataView(value.buffer, value.byteOffset).getUint32(1, value[0] === 1);
  return wkbTypes[(type % 1000) - 1] ?? value;
}

const wkbTypes = [
  ...['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection'],
];

function meets([left, top, right, bottom]: Readonly<Extent>, other: Readonly<Extent>): boolean {
  return left <= other[2] && right >= other[0] && top <= other[3] && bottom >= other[1];
}

/** Returns the first columns that have exactly one value in each row, up to the limit. */
function propertiesOf({ trees, flat, geometry }: MapReading): string[] {
  const names = trees.map(({ element }) => element.name);
  return names.filter((name) => flat.has(name) && name !== geometry.name).slice(0, propertiesRead);
}

/**
 * Selects as many row groups as the limits allow. If even the first group is too large, selects only its first rows.
 * @param meeting the numbers of the groups to choose from
 */
async function selectGroups(
  file: BoundedRanges,
  meeting: readonly number[],
  names: readonly string[],
  { metadata, flat, geometry }: MapReading,
): Promise<SelectedGroup[]> {
  const selected: SelectedGroup[] = [];
  let { requests, bytes } = file.remaining();
  let rowsLeft = featuresMax;
  for (const index of spread(meeting)) {
    const group = metadata.row_groups[index];
    if (group === undefined || group.num_rows <= 0n) continue;
    if (rowsLeft <= 0 || requests <= 0 || bytes <= 0) break;
    const rows = Math.min(Number(group.num_rows), rowsLeft);
    const wanted = { start: 0, count: rows };
    const selections = await selectColumns(file, { group, names, wanted, flat });
    const pieces = selections.flatMap((selection) => selection.pieces);
    const isFirst = selected.length === 0;
    const unlimited = { requests: Number.POSITIVE_INFINITY, bytes: Number.MAX_SAFE_INTEGER };
    let ranges = planRanges(pieces, unlimited);
    if (!fits(ranges)) {
      if (!isFirst) continue;
      const own = selections.filter(({ chunk }) => chunk.meta_data?.path_in_schema[0] === geometry.name);
      ranges = planRanges(
        own.flatMap((selection) => selection.pieces),
        { requests, bytes },
      );
    }
    requests -= ranges.length;
    bytes -= bytesOf(ranges);
    rowsLeft -= rows;
    selected.push({ index, group, rows, selections, ranges });
  }
  return selected.sort((a, b) => a.index - b.index);

  function fits(ranges: readonly ByteRange[]): boolean {
    return ranges.length <= requests && bytesOf(ranges) <= bytes;
  }
}

function bytesOf(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Returns the items in an order in which the first n items, for any n, are evenly spread over the list. */
function spread<Item>(items: readonly Item[]): Item[] {
  // The fractional parts of multiples of the golden ratio are evenly spread.
  const order = (index: number) => (index * 0.618_033_988_749_895) % 1;
  return [...items.entries()].sort(([a], [b]) => order(a) - order(b)).map(([, item]) => item);
}

/** Returns a geometry as GeoJSON. Returns undefined if it is damaged or too large. */
function geojsonOf(value: unknown, encoding: GeometryColumn['encoding']): unknown {
  if (encoding !== 'WKB') return { type: encoding, coordinates: coordinatesOf(value) };
  if (!(value instanceof Uint8Array) || value.byteLength > geometryBytesMax) return undefined;
  try {
    // The parser reads at least four bytes for each element, so it stops at the last byte if the element count is
    // false.
    return wkbToGeojson({ view: new DataView(value.buffer, value.byteOffset, value.byteLength), offset: 0 });
  } catch {
    return undefined;
  }
}

/** Returns lists of `{ x, y }` as lists of `[x, y]`. */
function coordinatesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(coordinatesOf);
  return isRecord(value) ? [value['x'], value['y']] : value;
}

function propertyOf(value: unknown): number | bigint | Cell {
  return typeof value === 'number' || typeof value === 'bigint' ? value : cellOf(value ?? null);
}

/** Returns bounds that contain the bounds in the file's metadata and the geometries that were read. */
function wholeBounds(
  geometry: GeometryColumn,
  groups: readonly (Extent | undefined)[],
  read: Readonly<Extent>,
): Extent {
  const stated = groups.every((bounds) => bounds !== undefined) ? groups : [geometry.bounds];
  const [left, bottom, right, top] = geometry.projection.within;
  const extent = emptyExtent();
  for (const bounds of [...stated, read]) {
    const isPossible = bounds && bounds[0] >= left && bounds[1] >= bottom && bounds[2] <= right && bounds[3] <= top;
    if (!isPossible) continue;
    widen(extent, bounds[0], bounds[1]);
    widen(extent, bounds[2], bounds[3]);
  }
  return extent;
}

interface Shown {
  rows: number;
  groups: number;
  /** The number of row groups that intersect the user's viewport. */
  meeting: number;
  isWhole: boolean;
  isIndexed: boolean;
}

function shownNote({ metadata, look }: MapReading, { rows, groups, meeting, isWhole, isIndexed }: Shown): string {
  if (isWhole) return `All ${counted(rows, 'row')} of the file.`;
  const shown = formatCount(groups);
  const all = counted(metadata.row_groups.length, 'row group');
  if (look !== undefined) {
    if (meeting === 0) return `None of ${all} meets this part of the map.`;
    const which = meeting === 1 ? 'row group that meets' : 'row groups that meet';
    return `${shown} of ${formatCount(meeting)} ${which} this part of the map: ${counted(rows, 'row')}.`;
  }
  const next = isIndexed ? 'Zoom in to see more.' : 'The file does not state where its row groups are.';
  return `${shown} of ${all}: ${formatCount(rows)} of ${counted(metadata.num_rows, 'row')}. ${next}`;
}
