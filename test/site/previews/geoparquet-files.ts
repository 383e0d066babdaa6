import { type KeyValue, parquetMetadata, type SchemaElement } from 'hyparquet';
import type { Geometry } from 'hyparquet/src/types.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { geojsonToWkb } from 'hyparquet-writer/src/wkb.js';
import type { SparseFile } from '../../service/sparse-object.ts';
import { footerOf } from './parquet-files.ts';

interface GeoParquetOptions {
  rowGroupSize?: number;
  encoding?: string;
  /** The metadata of the geometry column, in addition to its encoding. */
  column?: Record<string, unknown>;
  /** The metadata of the file. The default is GeoParquet 1.1. */
  kvMetadata?: KeyValue[];
  /** The schema element of the geometry column. The default is a column of bytes without a logical type. */
  element?: SchemaElement;
}

const corners = ['xmin', 'ymin', 'xmax', 'ymax'] as const;
const geometryElement: SchemaElement = { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' };

/** Builds a GeoParquet file. The statistics of its column `bbox` give the bounds of each row group. */
export function geoParquetOf(
  geometries: readonly (Geometry | Uint8Array | null)[],
  { rowGroupSize, encoding = 'WKB', column = {}, kvMetadata, element = geometryElement }: GeoParquetOptions = {},
): Uint8Array {
  const bbox = Object.fromEntries(corners.map((corner) => [corner, ['bbox', corner]]));
  const columns = { geometry: { encoding, geometry_types: [], covering: { bbox }, ...column } };
  const geo = { version: '1.1.0', primary_column: 'geometry', columns };
  const geometrySchema = encoding === 'WKB' ? [element] : nativeSchema(encoding);
  const corner = (name: string): SchemaElement => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' });
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: geometries.map((_, index) => index) },
        { name: 'geometry', data: geometries.map((geometry) => storedOf(geometry, element, encoding)) },
        { name: 'bbox', data: geometries.map(boxOf) },
        { name: 'name', data: geometries.map((_, index) => `feature ${index}`) },
      ],
      schema: [
        { name: 'root', num_children: 4 },
        { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' },
        ...geometrySchema,
        { name: 'bbox', repetition_type: 'REQUIRED', num_children: 4 },
        ...corners.map(corner),
        { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
      ],
      kvMetadata: kvMetadata ?? [{ key: 'geo', value: JSON.stringify(geo) }],
      ...(rowGroupSize !== undefined && { rowGroupSize }),
    }),
  );
}

function storedOf(geometry: Geometry | Uint8Array | null, { logical_type }: SchemaElement, encoding: string): unknown {
  if (geometry === null || geometry instanceof Uint8Array) return geometry;
  if (encoding !== 'WKB') return 'coordinates' in geometry ? placesOf(geometry.coordinates) : null;
  // The Parquet writer encodes geometries itself if the column has a geometry type.
  return logical_type === undefined ? geojsonToWkb(geometry) : geometry;
}

function placesOf(coordinates: unknown): unknown {
  if (!Array.isArray(coordinates)) return coordinates;
  const [x, y] = coordinates;
  return typeof x === 'number' ? { x, y } : coordinates.map(placesOf);
}

/** Returns lists of lists of points, as deep as the encoding needs. */
function nativeSchema(encoding: string): SchemaElement[] {
  const depth =
    { point: 0, linestring: 1, multipoint: 1, polygon: 2, multilinestring: 2, multipolygon: 3 }[encoding] ?? 0;
  const names = ['geometry', ...Array.from({ length: depth }, () => 'element')];
  return names.flatMap((name, index): SchemaElement[] =>
    index < depth
      ? [
          { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
          { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        ]
      : [
          { name, repetition_type: 'REQUIRED', num_children: 2 },
          { name: 'x', type: 'DOUBLE', repetition_type: 'REQUIRED' },
          { name: 'y', type: 'DOUBLE', repetition_type: 'REQUIRED' },
        ],
  );
}

function boxOf(geometry: Geometry | Uint8Array | null): Record<(typeof corners)[number], number> {
  const has = geometry !== null && 'coordinates' in geometry;
  const numbers = has
    ? [geometry.coordinates].flat(4).filter((each): each is number => typeof each === 'number')
    : [0, 0];
  const xs = numbers.filter((_, at) => at % 2 === 0);
  const ys = numbers.filter((_, at) => at % 2 === 1);
  return { xmin: Math.min(...xs), ymin: Math.min(...ys), xmax: Math.max(...xs), ymax: Math.max(...ys) };
}

const stripes = 400;
const pointsInStripe = 300;

/**
 * Builds a file of more than 1 GB with 400 row groups. Each row group has the points of one stripe of the world, from
 * west to east.
 */
export function largeGeoParquet(): SparseFile {
  const points = Array.from({ length: stripes * pointsInStripe }, (_, index): Geometry => {
    const stripe = Math.floor(index / pointsInStripe);
    const inside = index % pointsInStripe;
    return {
      type: 'Point',
      coordinates: [-180 + (stripe + (inside % 20) / 20) * (360 / stripes), ((inside * 7) % 160) - 80],
    };
  });
  const file = geoParquetOf(points, { rowGroupSize: pointsInStripe, column: { bbox: [-180, -80, 180, 80] } });
  return withGaps(file, 3_000_000);
}

/** Adds gaps between the row groups of a file. */
function withGaps(file: Uint8Array, gapBytes: number): SparseFile {
  const metadata = parquetMetadata(file);
  const parts: SparseFile['parts'] = [];
  let at = 4;
  for (const { columns } of metadata.row_groups) {
    for (const { meta_data: column } of columns) {
      if (column === undefined) continue;
      const start = Number(column.dictionary_page_offset || column.data_page_offset);
      parts.push({ at, bytes: file.subarray(start, start + Number(column.total_compressed_size)) });
      const moved = BigInt(at - start);
      column.data_page_offset += moved;
      if (column.dictionary_page_offset) column.dictionary_page_offset += moved;
      at += Number(column.total_compressed_size);
    }
    at += gapBytes;
  }
  const footer = footerOf(metadata);
  parts.push({ at, bytes: footer });
  return { byteLength: at + footer.byteLength, parts };
}
