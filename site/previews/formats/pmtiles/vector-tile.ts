import { PbfReader } from 'pbf';
import type { ShapeKind } from '../../preview.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';

const layersMax = 64;
/** The maximum numbers of features and values that are read of a layer. */
const [featuresMax, valuesMax] = [50_000, 500_000];
const extentMax = 65_536;
const textBytesMax = 200;
const kinds: readonly (ShapeKind | undefined)[] = [undefined, 'point', 'line', 'area'];
const command = { move: 1, line: 2, close: 7 };

export interface TileLayer {
  name: string;
  /** The number of coordinate units along one side of the tile. */
  extent: number;
  fields: string[];
  values: unknown[];
  features: TileFeature[];
}

interface Bytes {
  start: number;
  end: number;
}

/** An undecoded feature. `start` and `end` are the byte positions of its geometry and tags in the tile. */
export interface TileFeature extends Bytes {
  kind: ShapeKind;
  /** Pairs of indexes into the layer's field names and values. */
  tags: Bytes | undefined;
}

/** Reads the layers of a Mapbox Vector Tile (version 2). Throws for bytes in another format. */
export function readTileLayers(bytes: Uint8Array): TileLayer[] {
  const layers: TileLayer[] = [];
  const pbf = new PbfReader(bytes);
  readFields(pbf, bytes.byteLength, (field, end) => {
    if (field === 3 && layers.length < layersMax) layers.push(readLayer(pbf, end));
  });
  return layers;
}

function readLayer(pbf: PbfReader, layerEnd: number): TileLayer {
  const layer: TileLayer = { name: '', extent: 4096, fields: [], values: [], features: [] };
  const textTo = (end: number) =>
    new TextDecoder().decode(pbf.buf.subarray(pbf.pos, Math.min(end, pbf.pos + textBytesMax)));
  readFields(pbf, layerEnd, (field, end, value) => {
    if (field === 1) layer.name = textTo(end);
    else if (field === 3 && layer.fields.length < valuesMax) layer.fields.push(textTo(end));
    else if (field === 4 && layer.values.length < valuesMax) layer.values.push(readValue(pbf, end, textTo));
    else if (field === 5) layer.extent = value;
    else if (field === 2 && layer.features.length < featuresMax) layer.features.push(...readFeature(pbf, end));
  });
  if (!(layer.extent > 0 && layer.extent <= extentMax)) throw new PreviewRefusal('damaged');
  return layer;
}

/** Reads a value: a text, a number, or a truth value. Returns null for a value of an unknown type. */
function readValue(pbf: PbfReader, valueEnd: number, textTo: (end: number) => string): unknown {
  let found: unknown = null;
  readFields(
    pbf,
    valueEnd,
    (field, end, value) => {
      if (field === 1) found = textTo(end);
      else if (field === 4 || field === 5) found = value;
      // A zigzag-encoded number: the lowest bit is the sign.
      else if (field === 6) found = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      else if (field === 7) found = value !== 0;
    },
    (field) => {
      if (field === 2) found = pbf.readFloat();
      else if (field === 3) found = pbf.readDouble();
      else return false;
      return true;
    },
  );
  return found;
}

const tagsMax = 100;

/** Returns the properties of a feature by their names. */
export function propertiesOfFeature(
  bytes: Uint8Array,
  { fields, values }: TileLayer,
  { tags }: TileFeature,
): Record<string, unknown> {
  const found: [string, unknown][] = [];
  if (tags !== undefined) {
    const pbf = new PbfReader(bytes);
    pbf.pos = tags.start;
    while (pbf.pos < tags.end && found.length < tagsMax) {
      const name = fields[pbf.readVarint()];
      const value = values[pbf.readVarint()];
      if (name !== undefined) found.push([name, value]);
    }
  }
  return Object.fromEntries(found);
}

/**
 * Returns a list that contains the feature, or an empty list if the feature has no geometry or an unknown geometry
 * type.
 */
function readFeature(pbf: PbfReader, featureEnd: number): TileFeature[] {
  let kind: ShapeKind | undefined;
  let geometry: Bytes | undefined;
  let tags: Bytes | undefined;
  readFields(pbf, featureEnd, (field, end, value) => {
    if (field === 2) tags = { start: pbf.pos, end };
    else if (field === 3) kind = kinds[value];
    else if (field === 4) geometry = { start: pbf.pos, end };
  });
  return kind === undefined || geometry === undefined ? [] : [{ kind, tags, ...geometry }];
}

/**
 * Calls `read` for each field, with the field's end and, for a number, its value. `readFixed` may read a number of
 * fixed size, and returns false for a field that it does not know. Throws if a field is longer than the message that
 * contains it.
 */
function readFields(
  pbf: PbfReader,
  end: number,
  read: (field: number, end: number, value: number) => void,
  readFixed: (field: number) => boolean = () => false,
): void {
  while (pbf.pos < end) {
    const tag = pbf.readVarint();
    const wireType = tag & 7;
    if (wireType === 0) read(tag >> 3, pbf.pos, pbf.readVarint(true));
    else if (wireType === 2) {
      const length = pbf.readVarint();
      if (!(length >= 0 && length <= end - pbf.pos)) throw new PreviewRefusal('damaged');
      const contentEnd = pbf.pos + length;
      read(tag >> 3, contentEnd, 0);
      pbf.pos = contentEnd;
    } else if (!readFixed(tag >> 3)) pbf.skip(tag);
  }
}

export interface TilePart {
  points: [number, number][];
  /** True if the ring is the outline of a new area. False if it is a hole in the previous area. */
  isOuter: boolean;
}

/**
 * Yields the lines, rings, or points of a feature, in the tile's units. A `ClosePath` command closes the ring only
 * once, even if its repeat count is a million. The work is therefore limited by the number of bytes. Yields no more
 * than `pointsMax` points.
 */
export function* partsOf(bytes: Uint8Array, { start, end }: TileFeature, pointsMax: number): Generator<TilePart> {
  const pbf = new PbfReader(bytes);
  pbf.pos = start;
  let [x, y] = [0, 0];
  let points: [number, number][] = [];
  let pointsLeft = pointsMax;
  while (pbf.pos < end && pointsLeft > 0) {
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
    for (let count = Math.min(head >>> 3, pointsLeft); count > 0 && pbf.pos < end; count -= 1) {
      pointsLeft -= 1;
      x += pbf.readSVarint();
      y += pbf.readSVarint();
      points.push([x, y]);
    }
  }
  if (points.length > 0) yield { points, isOuter: isOuter(points) };
}

/** Returns true for an outer ring. Outer rings run clockwise on the screen. */
function isOuter(points: readonly [number, number][]): boolean {
  let doubled = 0;
  for (let index = 0; index < points.length; index += 1) {
    const [x, y] = points[index] ?? [0, 0];
    const [nextX, nextY] = points[(index + 1) % points.length] ?? [0, 0];
    doubled += x * nextY - nextX * y;
  }
  return doubled >= 0;
}
