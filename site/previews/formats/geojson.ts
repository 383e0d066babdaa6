import { formatBytes, formatCount } from '../../../lib/pages/site/format.ts';
import { cellOf, cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import { previewTexts } from '../../../lib/pages/site/previews/sentences.ts';
import type { Column, Preview, Table } from '../preview.ts';
import type { BoundedRanges } from '../reading/bounded-ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { featuresOf } from './geojson/features.ts';
import { addGeometry, isRecord } from './geojson/geometry.ts';
import { geographicMap } from './map/geographic.ts';
import { ShapeCollector } from './map/shapes.ts';

const featuresMax = 20_000;
const pointsMax = 200_000;
const rowsShown = 50;
const columnsShown = 40;

/** Reads the first features of a GeoJSON file: their shapes as a map, and their properties as a table. */
export async function readGeojson(file: BoundedRanges): Promise<Preview> {
  const { fileBytes } = file;
  const bytes = await file.read(0, Math.min(fileBytes, file.remaining().bytes));
  const shapes = new ShapeCollector(pointsMax);
  const properties: Record<string, unknown>[] = [];
  let features = 0;
  let isWhole = bytes.byteLength === fileBytes;
  for (const thing of featuresOf(new TextDecoder().decode(bytes))) {
    if (features >= featuresMax || shapes.isFull) {
      isWhole = false;
      break;
    }
    features += 1;
    if (!isRecord(thing)) continue;
    // A file may contain only a geometry.
    addGeometry(shapes, thing['type'] === 'Feature' ? thing['geometry'] : thing);
    if (properties.length < rowsShown) properties.push(isRecord(thing['properties']) ? thing['properties'] : {});
  }
  if (features === 0) throw new PreviewRefusal(bytes.byteLength < fileBytes ? 'too-much-to-read' : 'empty');
  const map = geographicMap(shapes, '', (bounds) => previewTexts.mapOf(formatCount(features), bounds));
  const table = tableOf(properties);
  return {
    ...(map === undefined ? {} : { map }),
    ...(table === undefined ? {} : { table }),
    notes: [
      isWhole ? previewTexts.features(formatCount(features)) : previewTexts.firstFeatures(formatCount(features)),
      ...(shapes.skippedPoints > 0 ? [previewTexts.skippedPoints(formatCount(shapes.skippedPoints))] : []),
      ...(table !== undefined && features > table.rows.length ? [previewTexts.tableRows(table.rows.length)] : []),
      previewTexts.bytesRead(formatBytes(file.used().bytes), formatBytes(fileBytes), file.used().requests),
    ],
  };
}

function tableOf(properties: readonly Record<string, unknown>[]): Table | undefined {
  const names = [...new Set(properties.flatMap((each) => Object.keys(each).slice(0, columnsShown)))].slice(
    0,
    columnsShown,
  );
  if (names.length === 0) return undefined;
  const columns = names.map((name): Column => {
    const values = properties
      .map((each) => propertyOf(each, name))
      .filter((value) => value !== null && value !== undefined);
    const types = new Set(values.map(typeOf));
    const [type] = types;
    return {
      name: cutText(name, 80),
      ...(types.size === 1 && type !== undefined ? { type } : {}),
      isNumber: types.size === 1 && type === 'number',
    };
  });
  return { columns, rows: properties.map((each) => names.map((name) => cellOf(propertyOf(each, name) ?? null))) };
}

/** Reads an own property. A property may have the name of an inherited one, such as `constructor`. */
function propertyOf(properties: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'object' : typeof value;
}
