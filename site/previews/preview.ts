import { firstOf, formatCount } from '../../lib/pages/site/format.ts';
import type { Cell } from '../../lib/pages/site/previews/cell-text.ts';
import type { Table } from '../../lib/pages/site/tables.tsx';

/**
 * The preview of a file, which a format reader returns. It contains only plain values and no HTML, because the worker
 * sends it to the page as a message.
 */
export interface Preview {
  map?: DrawnMap;
  /** A slice of an array of many dimensions. */
  slice?: ArraySlice;
  picture?: Picture;
  table?: PreviewTable;
  linked?: LinkedFiles;
  /** Properties of the file, such as its size in pixels, each with a name and a text. */
  properties?: [name: string, value: string][];
  /** Notes that tell which part of the file is shown. */
  notes: string[];
  /** True when the preview would show more with larger limits. */
  hasMore?: boolean;
}

/** The part of a file that the user requests. Each format uses the fields that it needs. Empty for the first part. */
export interface PartRequest {
  /** The number of rows in the file before the part. */
  row?: number;
  /** The position in the file at which the part starts. Used for formats without an index of rows. */
  byte?: number;
  /** The part of the map in the user's viewport. */
  look?: Look;
  /** The slice of the array that the user selected. */
  slice?: SliceChoice;
  /** The path of the linked file whose own links the user wants to see. */
  linked?: string;
}

/** The files to which a STAC catalog or collection links. */
export interface LinkedFiles {
  /** The first files. */
  files: LinkedFile[];
  /** The number of all files, including those that are not shown. */
  count: number;
}

export interface LinkedFile {
  /** The path below the folder of the opened file. Undefined for a file outside this folder, which previews cannot read. */
  path: string | undefined;
  title: string;
  /** True for a catalog or collection, which links to further files. */
  isList: boolean;
}

/** Consecutive rows of a table in a file. */
export interface PreviewTable extends Table {
  /** The part to request to read these rows again. The default is the first part. */
  start?: PartRequest;
  /** The number of rows in the file before these rows. The default is 0. */
  firstRow?: number;
  /** The total number of rows. Undefined if only reading the whole file would show it. */
  rowsInFile?: number;
  /** The part with the next rows. Undefined at the end of the file. */
  next?: PartRequest;
  /** True if a part can start at any row. */
  hasIndex?: boolean;
}

const partRowsMax = 2000;
const partCellsMax = 100_000;

/** Returns the maximum number of rows in a part of a table. */
export function rowsOfPart(columns: number): number {
  return Math.max(1, Math.min(partRowsMax, Math.floor(partCellsMax / Math.max(1, columns))));
}

/** Returns a note if a table has more columns than the preview shows. */
export function firstColumns(shown: number, all: number): string[] {
  return shown < all ? [`${firstOf(shown)} of ${formatCount(all)} columns.`] : [];
}

/** A rectangle of the map's plane: left, top, right, bottom. */
export type Extent = [left: number, top: number, right: number, bottom: number];

/** The part of a map in the user's viewport. */
export interface Look {
  extent: Extent;
  /** The size of the visible part on the screen, in pixels. */
  width: number;
  height: number;
  /** The user's display settings for an image. */
  raster?: RasterChoice;
}

export type ShapeKind = 'point' | 'line' | 'area';

/** Shapes of one geometry type. Their coordinates are in the map's plane, with x to the right and y down. */
export interface MapLayer {
  name: string;
  kind: ShapeKind;
  /** The coordinates of all points: x and y of the first point, x and y of the second, and so on. */
  points: Float64Array;
  /** The index of the first point of each line, ring, or point. One more index marks the end. */
  starts: Uint32Array;
  /** Only for areas: the index in `starts` of each area's first ring. One more index marks the end. */
  areas?: Uint32Array;
  /** The index in `features` for each area, line, or point. */
  owners?: Uint32Array;
  /** The square to which drawing is clipped: left, top, side length. */
  clip?: [number, number, number];
}

/** An image on the map. Its position is in the map's plane. */
export interface MapPicture {
  extent: Extent;
  /** A decoded image, or the red, green, blue, and opacity of each pixel. */
  image: ImageBitmap | Pixels;
}

export interface Pixels {
  width: number;
  height: number;
  pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** The values of one property, by feature. A number that is absent is `NaN`. */
export interface FeatureColumn {
  name: string;
  values: Float64Array | Cell[];
}

/** How the numbers of an image become colors. */
export const stretches = { usual: 'Without outliers', whole: 'Lowest to highest', none: 'As stored' } as const;
export type Stretch = keyof typeof stretches;

export interface RasterChoice {
  /** The bands to show: one with a color scale, or three as red, green, and blue. */
  bands: number[];
  stretch: Stretch;
}

/** The image of a map, with the display settings that the user can change. */
export interface MapRaster {
  bandNames: string[];
  choice: RasterChoice;
  /** Only for one band: the values of the darkest and the lightest color. */
  legend?: { lowest: string; highest: string };
}

export interface DrawnMap {
  /**
   * `mercator`: Web Mercator, in which the world is a square from 0 to 1. `plain`: the coordinates of the file, whose
   * position on Earth is unknown.
   */
  plane: 'mercator' | 'plain';
  /** The part of the plane that the map shows at first. */
  extent: Extent;
  layers: MapLayer[];
  pictures?: MapPicture[];
  /** The properties of the features. */
  columns?: FeatureColumn[];
  raster?: MapRaster;
  /** Notes about the shown part, which change when the part changes. */
  notes?: string[];
  /** Which parts the map loads when the user moves it: every part including the first, later parts only, or none. */
  reads?: 'each' | 'next';
  /** The text alternative of the map for screen readers. */
  description: string;
}

export interface Picture {
  width: number;
  height: number;
  /** The red, green, blue, and opacity of each pixel, row by row. */
  pixels: Uint8ClampedArray<ArrayBuffer>;
  description: string;
  /** Only for a picture of one band: the values of the darkest and the lightest color. */
  legend?: { lowest: string; highest: string };
}

/** The slice of an array that the user chose. */
export interface SliceChoice {
  /** The path of the array below the opened folder. Empty for the array of the opened file. */
  array: string;
  /** The dimensions for rows and columns. They are equal for an array of one dimension. */
  rows: number;
  columns: number;
  /** The index in each dimension. For rows and columns, the first shown index. */
  at: number[];
  stretch: Stretch;
}

export interface SliceDimension {
  name: string;
  size: number;
  /** The coordinate of each index. Set only if few bytes were needed to read the coordinates. */
  labels?: string[];
}

/** The indices of one dimension that a slice shows: `start`, `start + step`, and so on. */
export interface SliceRange {
  start: number;
  /** The number of shown indices, from the first to the last one, including those that `step` skips. */
  length: number;
  step: number;
}

/** Two dimensions of an array as an image, with the settings that the user can change. */
export interface ArraySlice {
  /** The paths of the arrays that the reader can choose. */
  arrays: string[];
  choice: SliceChoice;
  dimensions: SliceDimension[];
  rows: SliceRange;
  columns: SliceRange;
  /** True if the last row is at the top, so that north is up. */
  isFlipped: boolean;
  image: Pixels;
  /** The value of each pixel, row by row. Absent values are `NaN`. */
  values: Float64Array<ArrayBuffer>;
  /** True for 32-bit floating-point numbers, which have fewer significant digits. */
  isSingle: boolean;
  /** The unit of the values, or an empty text. */
  unit: string;
  legend?: { lowest: string; highest: string };
  description: string;
  notes: string[];
  /** True if larger read limits would show more of the slice. */
  hasMore: boolean;
}
