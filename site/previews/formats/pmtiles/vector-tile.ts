import { PbfReader } from 'pbf';
import type { ShapeKind } from '../../preview.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';

const layersMax = 64;
const extentMax = 65_536;
const kinds: readonly (ShapeKind | undefined)[] = [undefined, 'point', 'line', 'area'];
const command = { move: 1, line: 2, close: 7 };

export interface TileLayer {
  name: string;
  /** Units along a side of the tile. */
  extent: number;
  fields: string[];
  features: TileFeature[];
}

export interface TileFeature {
  kind: ShapeKind;
  /** The offset of its geometry in the tile. */
  start: number;
  end: number;
}

/**
 * Reads the layers of a Mapbox Vector Tile (version 2). Reads the names of attributes, not their values. Throws for
 * other bytes.
 */
export function readTileLayers(bytes: Uint8Array): TileLayer[] {
  const layers: TileLayer[] = [];
  const pbf = new PbfReader(bytes);
  while (pbf.pos < bytes.byteLength) {
    const tag = pbf.readVarint();
    if (tag >> 3 !== 3 || (tag & 7) !== 2) {
      pbf.skip(tag);
      continue;
    }
    const end = endOfMessage(pbf, bytes.byteLength);
    if (layers.length < layersMax) layers.push(readLayer(pbf, end));
    pbf.pos = end;
  }
  return layers;
}

function readLayer(pbf: PbfReader, end: number): TileLayer {
  const layer: TileLayer = { name: '', extent: 4096, fields: [], features: [] };
  while (pbf.pos < end) {
    const tag = pbf.readVarint();
    const field = tag >> 3;
    if (field === 1) layer.name = readText(pbf, end);
    else if (field === 3) layer.fields.push(readText(pbf, end));
    else if (field === 5) layer.extent = pbf.readVarint();
    else if (field === 2) {
      const featureEnd = endOfMessage(pbf, end);
      const feature = readFeature(pbf, featureEnd);
      if (feature !== undefined) layer.features.push(feature);
      pbf.pos = featureEnd;
    } else pbf.skip(tag);
  }
  if (!(layer.extent > 0 && layer.extent <= extentMax)) throw new PreviewRefusal('damaged');
  return layer;
}

function readText(pbf: PbfReader, end: number): string {
  const textEnd = endOfMessage(pbf, end);
  const text = new TextDecoder().decode(pbf.buf.subarray(pbf.pos, Math.min(textEnd, pbf.pos + 200)));
  pbf.pos = textEnd;
  return text;
}

function readFeature(pbf: PbfReader, end: number): TileFeature | undefined {
  let kind: ShapeKind | undefined;
  let geometry: [number, number] | undefined;
  while (pbf.pos < end) {
    const tag = pbf.readVarint();
    if (tag >> 3 === 3) kind = kinds[pbf.readVarint()];
    else if (tag >> 3 === 4) {
      const geometryEnd = endOfMessage(pbf, end);
      geometry = [pbf.pos, geometryEnd];
      pbf.pos = geometryEnd;
    } else pbf.skip(tag);
  }
  return kind === undefined || geometry === undefined ? undefined : { kind, start: geometry[0], end: geometry[1] };
}

/** Rejects a message that claims to be longer than its container. */
function endOfMessage(pbf: PbfReader, outerEnd: number): number {
  const length = pbf.readVarint();
  if (!(length >= 0 && length <= outerEnd - pbf.pos)) throw new PreviewRefusal('damaged');
  return pbf.pos + length;
}

export interface TilePart {
  points: [number, number][];
  /** True when a ring is the outline of a new area, false when it is a hole in the previous one. */
  isOuter: boolean;
}

/**
 * Yields the lines, rings, or points of a feature in units of the tile. A `ClosePath` command with a repeat count of a
 * million closes only once, so its cost is bounded by the bytes.
 */
export function* partsOf(bytes: Uint8Array, { start, end }: TileFeature): Generator<TilePart> {
  const pbf = new PbfReader(bytes);
  pbf.pos = start;
  let [x, y] = [0, 0];
  let points: [number, number][] = [];
  while (pbf.pos < end) {
    const head = pbf.readVarint();
    const id = head & 7;
    if (id === command.close) {
      const [first] = points;
      if (first !== undefined) points.push([first[0], first[1]]);
      continue;
    }
    if (id !== command.move && id !== command.line) throw new PreviewRefusal('damaged');
    if (id === command.move && points.length > 0) {
      yield { points, isOuter: isOuter(points) };
      points = [];
    }
    for (let count = head >>> 3; count > 0 && pbf.pos < end; count -= 1) {
      x += pbf.readSVarint();
      y += pbf.readSVarint();
      points.push([x, y]);
    }
  }
  if (points.length > 0) yield { points, isOuter: isOuter(points) };
}

/** Outer rings run clockwise on the screen. */
function isOuter(points: readonly [number, number][]): boolean {
  let doubled = 0;
  for (let index = 0; index < points.length; index += 1) {
    const [x, y] = points[index] ?? [0, 0];
    const [nextX, nextY] = points[(index + 1) % points.length] ?? [0, 0];
    doubled += x * nextY - nextX * y;
  }
  return doubled >= 0;
}
