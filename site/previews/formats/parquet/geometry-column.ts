import { type FileMetaData, parquetSchema, type RowGroup } from 'hyparquet';
import { cellOf, cutText } from '../../../../lib/pages/site/previews/cell-text.ts';
import { isRecord, type Json, parseRecord, recordOf } from '../../../../lib/pages/site/previews/json.ts';
import type { Extent } from '../../preview.ts';
import { degreesProjection, type Projection, plainProjection, projectionOf } from '../projection.ts';

/** The column of a Parquet file that contains each row's geometry. */
export interface GeometryColumn {
  name: string;
  /** `WKB`, or the GeoJSON type of all geometries. In the second case, the coordinates are nested lists. */
  encoding: 'WKB' | NativeType;
  projection: Projection;
  /** A note for a coordinate system that the map does not support. */
  notes: string[];
  /** The bounds in the file's metadata: left, bottom, right, top. */
  bounds: Extent | undefined;
  /** The columns whose statistics give the bounds of a row group, each as a path joined by dots. */
  corners: readonly string[] | undefined;
}

const nativeTypes = {
  point: 'Point',
  linestring: 'LineString',
  polygon: 'Polygon',
  multipoint: 'MultiPoint',
  multilinestring: 'MultiLineString',
  multipolygon: 'MultiPolygon',
} as const;
type NativeType = (typeof nativeTypes)[keyof typeof nativeTypes];

/**
 * Returns the geometry column of a file. The metadata `geo` (GeoParquet 1.0 and 1.1) or the type of a column names it.
 * Returns undefined for a file without geometries.
 */
export function geometryColumnOf(metadata: FileMetaData): GeometryColumn | undefined {
  const geo = parsed(metadata, 'geo');
  const columns = recordOf(geo?.['columns']);
  const primary = geo?.['primary_column'];
  const trees = parquetSchema(metadata).children;
  const found = trees.find(({ element: { name } }) => name === primary && Object.hasOwn(columns, name));
  const own = found && columns[found.element.name];
  const encoding = isRecord(own) ? encodingOf(own['encoding']) : undefined;
  if (found !== undefined && isRecord(own) && encoding !== undefined) {
    const { name } = found.element;
    const { bbox: covering } = recordOf(own['covering']);
    return {
      name,
      encoding,
      ...systemOf(Object.hasOwn(own, 'crs') ? own['crs'] : undefined),
      bounds: boundsOf(own['bbox']),
      corners: cornersOf(covering) ?? (encoding === 'WKB' ? undefined : coordinatesOf(metadata, name)),
    };
  }
  const native = trees.find(({ element: { logical_type: logical } }) => isGeometry(logical?.type))?.element;
  if (native === undefined) return undefined;
  const logical = native.logical_type;
  const text = logical !== undefined && 'crs' in logical ? logical.crs : undefined;
  const crs = text?.startsWith('projjson:') ? parsed(metadata, text.slice('projjson:'.length)) : text;
  return { name: native.name, encoding: 'WKB', ...systemOf(crs), bounds: undefined, corners: undefined };
}

/** Returns the bounds of a row group: left, bottom, right, top. Returns undefined if the file does not state them. */
export function boundsOfGroup({ columns }: RowGroup, { name, corners }: GeometryColumn): Extent | undefined {
  const found = new Map(columns.map(({ meta_data }) => [meta_data?.path_in_schema.join('.') ?? '', meta_data]));
  if (corners !== undefined) {
    const values = corners.map((path, index) => {
      const statistics = found.get(path)?.statistics;
      return index < 2 ? statistics?.min_value : statistics?.max_value;
    });
    return boundsOf(values);
  }
  const box = found.get(name)?.geospatial_statistics?.bbox;
  return box && boundsOf([box.xmin, box.ymin, box.xmax, box.ymax]);
}

function isGeometry(type: string | undefined): boolean {
  return type === 'GEOMETRY' || type === 'GEOGRAPHY';
}

function parsed({ key_value_metadata }: FileMetaData, key: string): Json | undefined {
  return parseRecord(key_value_metadata?.find((each) => each.key === key)?.value ?? '');
}

function encodingOf(value: unknown): GeometryColumn['encoding'] | undefined {
  if (value === 'WKB') return value;
  return typeof value === 'string' && Object.hasOwn(nativeTypes, value)
    ? nativeTypes[value as keyof typeof nativeTypes]
    : undefined;
}

/**
 * Returns bounds of four numbers, or of six with heights. Returns undefined for other values, and for bounds that cross
 * the antimeridian, whose left is greater than their right.
 */
function boundsOf(value: unknown): Extent | undefined {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'number' && Number.isFinite(each)))
    return undefined;
  const half = value.length / 2;
  if (half !== 2 && half !== 3) return undefined;
  const [left, bottom, right, top] = [value[0], value[1], value[half], value[half + 1]];
  return left <= right && bottom <= top ? [left, bottom, right, top] : undefined;
}

function cornersOf(covering: unknown): string[] | undefined {
  if (!isRecord(covering)) return undefined;
  const paths = ['xmin', 'ymin', 'xmax', 'ymax'].map((corner) => covering[corner]);
  const isPath = (path: unknown): path is string[] =>
    Array.isArray(path) && path.every((name) => typeof name === 'string');
  return paths.every(isPath) ? paths.map((path) => path.join('.')) : undefined;
}

/** Returns the coordinate columns of a native geometry. Their statistics give its bounds. */
function coordinatesOf({ row_groups }: FileMetaData, name: string): string[] | undefined {
  const paths = (row_groups[0]?.columns ?? []).flatMap(({ meta_data }) => {
    const path = meta_data?.path_in_schema ?? [];
    return path[0] === name ? [path] : [];
  });
  const [x, y] = ['x', 'y'].map((axis) => paths.find((path) => path.at(-1) === axis)?.join('.'));
  return x !== undefined && y !== undefined ? [x, y, x, y] : undefined;
}

/**
 * Returns the map projection for a coordinate system, given as PROJJSON or as a name such as `EPSG:32633`. The default
 * coordinate system has degrees.
 */
function systemOf(crs: unknown): Pick<GeometryColumn, 'projection' | 'notes'> {
  const { id, type, name } = recordOf(crs);
  const { authority, code } = recordOf(id);
  const text = typeof crs === 'string' ? crs : authority === undefined ? '' : `${cellOf(authority)}:${cellOf(code)}`;
  const isDegrees =
    /^(OGC:CRS84h?|EPSG:4326|srid:4326)$/i.test(text) || /^Geo(graphic|detic)CRS$/.test(cellOf(type) ?? '');
  if (crs === undefined || isDegrees) return { projection: degreesProjection, notes: [] };
  const [, epsg = ''] = /^(?:EPSG|srid):(\d{4,6})$/i.exec(text) ?? [];
  const projection = projectionOf(Number(epsg));
  if (projection !== undefined) return { projection, notes: [] };
  const shown = cutText(text || (typeof name === 'string' ? name : ''), 60);
  return {
    projection: plainProjection,
    notes: [`The map does not know the coordinate system${shown && ` ${shown}`}, so it shows a plain plane.`],
  };
}
