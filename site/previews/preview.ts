import type { Table } from '../../lib/pages/site/tables.tsx';

/** The result of a format's reader as plain values. The worker sends it to the page, and no value is markup. */
export interface Preview {
  map?: DrawnMap;
  picture?: Picture;
  table?: Table;
  /** Names and their descriptions. */
  properties?: [name: string, value: string][];
  /** Notes about the part of the file that is shown. */
  notes: string[];
  /** True when larger limits would show more. */
  hasMore?: boolean;
}

export type ShapeKind = 'point' | 'line' | 'area';

/** Shapes of one kind, in units of the map's own plane: x to the right, y down. */
export interface MapLayer {
  name: string;
  kind: ShapeKind;
  /** x and y of each point in sequence. */
  points: Float32Array;
  /** The start of each line, ring, or point as an index of points, plus one end index. */
  starts: Uint32Array;
  /** For areas: the index in `starts` of the first ring of each area, plus one end index. */
  areas?: Uint32Array;
  /** The square that clips the drawing: left, top, side. */
  clip?: [number, number, number];
}

export interface MapTile {
  x: number;
  y: number;
  size: number;
  /** A decoded image. */
  image: ImageBitmap;
}

/** A line of equal longitude or latitude, with its label. */
export interface GraticuleLine {
  axis: 'x' | 'y';
  at: number;
  label: string;
}

export interface DrawnMap {
  /** The visible extent: left, top, right, bottom. */
  extent: [number, number, number, number];
  layers: MapLayer[];
  tiles?: MapTile[];
  graticule: GraticuleLine[];
  /** Text alternative for screen readers. */
  description: string;
}

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, and opacity of each pixel, row by row. */
  pixels: Uint8ClampedArray<ArrayBuffer>;
  description: string;
  /** For a picture of one band: the values of the darkest and the lightest color. */
  legend?: { lowest: string; highest: string };
}
