import type { Table } from '../../lib/pages/site/tables.tsx';

/**
 * The preview of a file, as the reader of its format returns it. It contains plain values only and no HTML, so that the
 * worker can send it to the page.
 */
export interface Preview {
  map?: DrawnMap;
  picture?: Picture;
  table?: Table;
  /** Properties of the file, such as its size in pixels, each with a name and a text. */
  properties?: [name: string, value: string][];
  /** Notes that tell which part of the file is shown. */
  notes: string[];
  /** True when the preview would show more with larger limits. */
  hasMore?: boolean;
}

export type ShapeKind = 'point' | 'line' | 'area';

/** Shapes of one geometry type. Their coordinates are in the map's own plane, with x to the right and y down. */
export interface MapLayer {
  name: string;
  kind: ShapeKind;
  /** The coordinates of all points: x and y of the first point, x and y of the second, and so on. */
  points: Float32Array;
  /** The index of the first point of each line, ring, or point. One more index marks the end. */
  starts: Uint32Array;
  /** Only for areas: the index in `starts` of each area's first ring. One more index marks the end. */
  areas?: Uint32Array;
  /** The square outside of which nothing is drawn: left, top, side length. */
  clip?: [number, number, number];
}

export interface MapTile {
  x: number;
  y: number;
  size: number;
  /** A decoded image. */
  image: ImageBitmap;
}

/** A line of equal longitude or latitude on the map, with its label. */
export interface GraticuleLine {
  axis: 'x' | 'y';
  at: number;
  label: string;
}

export interface DrawnMap {
  /** The visible part of the plane: left, top, right, bottom. */
  extent: [number, number, number, number];
  layers: MapLayer[];
  tiles?: MapTile[];
  graticule: GraticuleLine[];
  /** The text that screen readers read in place of the map. */
  description: string;
}

export interface Picture {
  width: number;
  height: number;
  /** The red, green, blue, and opacity of each pixel, row by row. */
  pixels: Uint8ClampedArray<ArrayBuffer>;
  description: string;
  /** Only for a picture of one band: the numbers that the darkest and the lightest color stand for. */
  legend?: { lowest: string; highest: string };
}
