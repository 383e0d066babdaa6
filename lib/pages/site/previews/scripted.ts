import type { RepositoryPath } from '../../../domain/data/open-data.ts';

export interface ReadingLimits {
  requests: number;
  bytes: number;
}

/** The declaration of a format that a script in the browser previews. */
export interface ScriptedKind {
  /** The name of the format, as in "This is not a CSV file." */
  title: string;
  names: RegExp;
  /**
   * The bytes with which each file of the format starts or ends, as Latin-1 text. Files without these bytes are
   * refused.
   */
  signature?: { at: 'start' | 'end'; texts: readonly string[] };
  /** The number of requests and bytes that a preview may use to read the file. */
  limits: ReadingLimits;
  /** The larger limits of a preview. They apply when the reader asks to see more. */
  moreLimits?: ReadingLimits;
  /** The limits for each further part of a map or an array that the user opens. */
  lookLimits?: ReadingLimits;
  /**
   * The memory in bytes that one read of a preview may use. It includes memory that is no longer used, because the
   * browser decides when to reuse memory.
   */
  memoryBytesMax: number;
  /**
   * The sentence that readers see when the preview refuses a file. It says how to open the file without the preview.
   */
  otherwise: string;
  /** True if the format consists of several files, which the preview reads below the folder of the opened file. */
  hasFolder?: boolean;
}

const megabyte = 1_000_000;

/**
 * The formats that a script in the browser previews by reading byte ranges of the file. A new format needs one entry
 * here and one file in `site/previews/formats`. The compiler then also requires an entry in `site/preview-worker`.
 */
export const scriptedKinds = {
  csv: {
    title: 'CSV',
    names: /\.csv$/i,
    limits: { requests: 8, bytes: megabyte },
    moreLimits: { requests: 16, bytes: 8 * megabyte },
    memoryBytesMax: 256 * megabyte,
    otherwise: 'Query it with DuckDB, or download it.',
  },
  tsv: {
    title: 'TSV',
    names: /\.(tsv|tab)$/i,
    limits: { requests: 8, bytes: megabyte },
    moreLimits: { requests: 16, bytes: 8 * megabyte },
    memoryBytesMax: 256 * megabyte,
    otherwise: 'Query it with DuckDB, or download it.',
  },
  parquet: {
    title: 'Parquet',
    names: /\.(parquet|geoparquet)$/i,
    // Encrypted Parquet files end with PARE.
    signature: { at: 'end', texts: ['PAR1', 'PARE'] },
    // The table of a GeoParquet file uses an eighth of the requests and half of the bytes. The map of its geometries
    // uses the rest.
    limits: { requests: 32, bytes: 2 * megabyte },
    moreLimits: { requests: 256, bytes: 32 * megabyte },
    lookLimits: { requests: 60, bytes: 4 * megabyte },
    memoryBytesMax: 256 * megabyte,
    otherwise: 'Query it with DuckDB, or download it.',
  },
  geojson: {
    title: 'GeoJSON',
    names: /\.(geojson|geojsonl|geojsons|geojsonseq)$/i,
    limits: { requests: 1, bytes: 2 * megabyte },
    moreLimits: { requests: 1, bytes: 16 * megabyte },
    memoryBytesMax: 512 * megabyte,
    otherwise: 'Open it in QGIS, or download it.',
  },
  zarr: {
    title: 'Zarr',
    names: /(^|\/)(zarr\.json|\.zarray|\.zgroup|\.zmetadata)$/i,
    limits: { requests: 80, bytes: 2 * megabyte },
    moreLimits: { requests: 400, bytes: 16 * megabyte },
    // Each slice of an array needs the metadata of the array again. The page has cached the metadata.
    lookLimits: { requests: 80, bytes: 4 * megabyte },
    memoryBytesMax: 512 * megabyte,
    otherwise: 'Open the array with Python: zarr.open(…).',
    hasFolder: true,
  },
  stac: {
    title: 'STAC',
    // The page of a JSON file has a scripted preview only if its content is STAC.
    names: /(^|\/)(?!zarr\.json$)[^/]*\.json$/i,
    // The first request reads the file. The others read files to which it links.
    limits: { requests: 41, bytes: 2 * megabyte },
    moreLimits: { requests: 301, bytes: 16 * megabyte },
    // Each level of the tree that the user opens is one file.
    lookLimits: { requests: 1, bytes: 2 * megabyte },
    memoryBytesMax: 512 * megabyte,
    otherwise: 'Read it with pystac, or download it.',
    hasFolder: true,
  },
  pmtiles: {
    title: 'PMTiles',
    names: /\.pmtiles$/i,
    signature: { at: 'start', texts: ['PMTiles'] },
    limits: { requests: 40, bytes: 2 * megabyte },
    memoryBytesMax: 256 * megabyte,
    otherwise: 'Open it in QGIS, or download it.',
  },
  geotiff: {
    title: 'TIFF',
    names: /\.(tif|tiff|geotiff)$/i,
    signature: { at: 'start', texts: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'] },
    limits: { requests: 60, bytes: 2 * megabyte },
    moreLimits: { requests: 60, bytes: 16 * megabyte },
    // A further part of the map needs the overview of the image again for its colors. The page has cached the overview.
    lookLimits: { requests: 120, bytes: 4 * megabyte },
    memoryBytesMax: 256 * megabyte,
    otherwise: 'Open it in QGIS, or download it.',
  },
} as const satisfies Readonly<Record<string, ScriptedKind>>;

export type ScriptedFormat = keyof typeof scriptedKinds;

export function scriptedFormatOf(key: string): ScriptedFormat | undefined {
  return (Object.keys(scriptedKinds) as ScriptedFormat[]).find((format) => scriptedKinds[format].names.test(key));
}

/** The files with the metadata of a Zarr store, the most complete one first. */
export const zarrRoots = ['zarr.json', '.zmetadata', '.zarray', '.zgroup'];

/** Returns the file in a folder whose preview shows the whole folder. Only Zarr stores have such a file. */
export function storeFileIn<File extends { key: string }>(folder: string, files: readonly File[]): File | undefined {
  const roots = zarrRoots.map((name) => files.find(({ key }) => key === folder + name));
  return roots.find((file) => file !== undefined);
}

/** Returns the maximum number of bytes that the first view of a scripted preview reads. */
export function firstReadBytes(key: string, bytes: number): number {
  const format = scriptedFormatOf(key);
  return format === undefined ? bytes : Math.min(bytes, scriptedKinds[format].limits.bytes);
}

/** The settings that a preview page passes to its script. */
export interface PreviewConfiguration {
  format: ScriptedFormat;
  /** The URL of the file's content on the data host. */
  url: string;
  bytes: number;
  /** The URL of the worker script that reads the file. */
  worker_url: string;
  repository: RepositoryPath;
  key: string;
  /** True if another page of the site shows the preview in an iframe. */
  is_framed: boolean;
}
