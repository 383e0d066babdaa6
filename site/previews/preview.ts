import type { Cell } from '../../lib/pages/site/previews/cell-text.ts';

/** What a reader of a format found, in plain values: it passes from the worker to the page, and nothing in it is markup. */
export interface Preview {
  map?: DrawnMap;
  picture?: Picture;
  table?: Table;
  /** Names with what is said of them. */
  facts?: [name: string, value: string][];
  /** What is shown of how much. */
  notes: string[];
  /** Larger limits would show more. */
  hasMore?: boolean;
}

export interface Column {
  name: string;
  type?: string;
  isNumber?: boolean;
}

export interface Table {
  columns: Column[];
  rows: Cell[][];
}

export type ShapeKind = 'point' | 'line' | 'area';

/** Shapes of one kind, in units of the map's own plane: x to the right, y down. */
export interface MapLayer {
  name: string;
  kind: ShapeKind;
  /** x and y of one point after the other. */
  points: Float32Array;
  /** Where each line, ring or point begins, as an index of points; one more at the end. */
  starts: Uint32Array;
  /** For areas: the index in `starts` at which each area begins, its rings one after the other; one more at the end. */
  areas?: Uint32Array;
  /** Nothing is drawn outside this square: left, top, side. */
  clip?: [number, number, number];
}

export interface MapTile {
  x: number;
  y: number;
  size: number;
  /** A picture that is decoded already. */
  image: ImageBitmap;
}

/** A line of equal longitude or latitude, and what is written beside it. */
export interface GraticuleLine {
  axis: 'x' | 'y';
  at: number;
  label: string;
}

export interface DrawnMap {
  /** What is seen: left, top, right, bottom. */
  extent: [number, number, number, number];
  layers: MapLayer[];
  tiles?: MapTile[];
  graticule: GraticuleLine[];
  /** For those who do not see it. */
  description: string;
}

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, opacity of each pixel, row by row. */
  pixels: Uint8ClampedArray<ArrayBuffer>;
  description: string;
  /** Of a picture of one value a pixel: what its darkest and its lightest colour stand for. */
  legend?: { lowest: string; highest: string };
}
