import { firstOf, formatCount } from '../../../lib/pages/site/format.ts';
import { cellOf, cutText, significantText } from '../../../lib/pages/site/previews/cell-text.ts';
import type { ArraySlice, PartRequest, Preview, PreviewTable, SliceChoice } from '../preview.ts';
import { type BoundedRanges, readNearNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { paint, rangesOf } from './geotiff/paint.ts';
import { fillValueOf, openChunks } from './zarr/chunks.ts';
import { type Coordinates, readCoordinates } from './zarr/coordinates.ts';
import { type ArrayInfo, type ArrayNode, checkArray, openStore, rankOf, type ZarrStore } from './zarr/metadata.ts';
import { readWindow, type SliceWindow } from './zarr/window.ts';

/** The larger side of a level of detail must have at least this many pixels to be useful as a preview. */
const sideWanted = 512;
const tableRowsMax = 2000;
const unitMax = 60;

/** Shows two dimensions of an array as an image. The reader chooses the array and the index of the other dimensions. */
export async function readZarr(file: BoundedRanges, { slice: wanted }: PartRequest = {}): Promise<Preview> {
  const store = await openStore(file);
  const levels = wanted === undefined ? levelsOf(store) : [nodeOf(store, wanted.array)];
  const arrays = levels.map(checkArray);
  const [finest] = arrays;
  if (finest === undefined || arrays.some(({ shape }) => shape.includes(0))) throw new PreviewRefusal('empty');
  if (finest.shape.length < 2) return readFlat(file, store, finest);
  const large = arrays.findLastIndex(({ shape }) => Math.max(...axesOf(shape, finest)) >= sideWanted);
  for (const array of arrays.slice(Math.max(large, 0))) {
    const coordinates = await readCoordinates(file, store, array);
    const choice = wanted === undefined ? firstChoice(array) : checkChoice(array, wanted);
    const window = await readWindow(file, array, choice, array !== arrays.at(-1));
    if (window !== undefined) return { slice: sliceOf(file, store, array, choice, coordinates, window), notes: [] };
  }
  throw new PreviewRefusal('too-much-to-read');
}

function nodeOf(store: ZarrStore, path: string): ArrayNode {
  const node = store.arrays.get(path);
  if (node === undefined) throw new PreviewRefusal('damaged');
  return node;
}

/** Returns the first array of a store, and the same data at lower resolutions, finest first. */
function levelsOf({ arrays, levels }: ZarrStore): ArrayNode[] {
  const [finest = ''] = levels;
  const nodes = [...arrays.values()];
  const isIn = ({ path }: ArrayNode) => path === finest || path.startsWith(`${finest}/`);
  const first = (levels.length > 0 && nodes.find(isIn)) || nodes[0];
  if (first === undefined) throw new PreviewRefusal('no-arrays');
  if (levels.length === 0 || !isIn(first)) return [first];
  const name = first.path.slice(finest.length);
  return levels
    .flatMap((level) => arrays.get(level + name) ?? [])
    .filter(({ metadata }) => rankOf(metadata) === rankOf(first.metadata));
}

/** Returns the default row and column dimensions: latitude and longitude, or the last two dimensions. */
function firstAxes({ dimensions }: ArrayInfo): [rows: number, columns: number] {
  const find = (name: RegExp) => dimensions.findIndex((dimension) => name.test(dimension));
  const [rows, columns] = [find(/^(lat|latitude|y)$/i), find(/^(lon|longitude|x)$/i)];
  return rows >= 0 && columns >= 0 ? [rows, columns] : [dimensions.length - 2, dimensions.length - 1];
}

function axesOf(shape: readonly number[], array: ArrayInfo): number[] {
  return firstAxes(array).map((axis) => shape[axis] ?? 1);
}

function firstChoice(array: ArrayInfo): SliceChoice {
  const [rows, columns] = firstAxes(array);
  const at = array.shape.map((_, dimension) => (dimension === rows || dimension === columns ? -1 : 0));
  return { array: array.path, rows, columns, at, stretch: 'usual' };
}

/** Returns a choice whose indices are inside the array. A choice made for another array may have other dimensions. */
function checkChoice(array: ArrayInfo, wanted: SliceChoice): SliceChoice {
  const { rows, columns, at, stretch } = wanted;
  const areAxes = [rows, columns].every((axis) => Number.isInteger(axis) && axis >= 0 && axis < array.shape.length);
  if (!areAxes || rows === columns || at.length !== array.shape.length) return { ...firstChoice(array), stretch };
  const inside = array.shape.map((size, dimension) => {
    const index = at[dimension] ?? 0;
    if (index < 0 && (dimension === rows || dimension === columns)) return -1;
    return Math.min(size - 1, Math.max(0, Math.floor(index) || 0));
  });
  return { array: array.path, rows, columns, at: inside, stretch };
}

function sliceOf(
  file: BoundedRanges,
  store: ZarrStore,
  array: ArrayInfo,
  choice: SliceChoice,
  coordinates: readonly (Coordinates | undefined)[],
  window: SliceWindow,
): ArraySlice {
  const { rows, columns, width, height, chunksRead, chunksShown } = window;
  const { values, notes } = decoded(array, window.values);
  const isFlipped = isNorthLast(array.dimensions[choice.rows] ?? '', coordinates[choice.rows]?.numbers);
  if (isFlipped) flip(values, width);
  const raster = {
    ...{ width, height, bands: [values], kind: array.dataType, noData: undefined, palette: undefined },
    ...{ isRgb: false, alpha: undefined },
  };
  const { legend, ...image } = paint(raster, rangesOf(raster, choice.stretch));
  const name = cutText(cellOf(array.attributes['long_name']) ?? array.path, 100);
  const isStrided = rows.step > 1 || columns.step > 1;
  return {
    arrays: [...store.arrays.values()].flatMap(({ path, metadata }) => (rankOf(metadata) < 2 ? [] : [path])),
    choice: { ...choice, at: choice.at.with(choice.rows, rows.start).with(choice.columns, columns.start) },
    dimensions: array.dimensions.map((dimension, at) => {
      const labels = coordinates[at]?.labels;
      return { name: dimension, size: array.shape[at] ?? 1, ...(labels && { labels }) };
    }),
    ...{ rows, columns, isFlipped, image, values },
    isSingle: isSingle(array),
    unit: cutText(cellOf(array.attributes['units']) ?? '', unitMax),
    ...(legend && { legend }),
    description: `${name === '' ? 'Array' : name}, ${array.dimensions[choice.rows]} down and ${array.dimensions[choice.columns]} to the right`,
    notes: [
      `${array.dataType}, ${array.shape.map(formatCount).join(' × ')}.`,
      ...(isStrided
        ? [`The image shows every ${ordinal(rows.step)} row and every ${ordinal(columns.step)} column.`]
        : []),
      ...(chunksRead < chunksShown ? [`${formatCount(chunksRead)} of ${formatCount(chunksShown)} chunks read.`] : []),
      ...notes,
      ...store.notes,
      readNearNote(file),
    ],
    hasMore: window.isPart,
  };
}

function ordinal(count: number): string {
  return count === 1 ? 'single' : count === 2 ? 'second' : count === 3 ? 'third' : `${formatCount(count)}th`;
}

/**
 * Replaces "no value" numbers by `NaN`, and applies the scale of packed numbers (CF conventions). Zero stays a value,
 * even if it fills missing chunks.
 */
function decoded(array: ArrayInfo, stored: Float64Array<ArrayBuffer>) {
  const { attributes, dataType } = array;
  const fill = fillValueOf(array);
  const absent = [
    attributes['_FillValue'],
    attributes['missing_value'],
    fill === 0 || dataType === 'bool' ? undefined : fill,
  ];
  const [scale, offset] = [numberOf(attributes['scale_factor'], 1), numberOf(attributes['add_offset'], 0)];
  const isPacked = scale !== 1 || offset !== 0;
  const values = stored.map((value) => (absent.includes(value) ? Number.NaN : value * scale + offset));
  const stated = `${significantText(scale, 7)}${offset === 0 ? '' : ` + ${significantText(offset, 7)}`}`;
  return { values, notes: isPacked ? [`Values are the stored numbers × ${stated}.`] : [] };
}

function isSingle({ dataType }: ArrayInfo): boolean {
  return dataType === 'float32' || dataType === 'float16';
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** Returns true for latitudes that increase with the rows. North is then at the bottom, unless the image is flipped. */
function isNorthLast(name: string, numbers: Float64Array | undefined): boolean {
  return (
    /^(lat|latitude|y|northing)$/i.test(name) && numbers !== undefined && (numbers[0] ?? 0) < (numbers.at(-1) ?? 0)
  );
}

function flip(values: Float64Array, width: number): void {
  for (let [top, bottom] = [0, values.length - width]; top < bottom; top += width, bottom -= width) {
    const row = values.slice(top, top + width);
    values.copyWithin(top, bottom, bottom + width);
    values.set(row, bottom);
  }
}

/** Shows an array of one dimension as a table, and an array without dimensions as a single value. */
async function readFlat(file: BoundedRanges, store: ZarrStore, array: ArrayInfo): Promise<Preview> {
  const readChunk = await openChunks(file, array);
  const [size] = array.shape;
  const numbers = new Float64Array(Math.min(size ?? 1, tableRowsMax));
  const chunkLength = array.chunks[0] ?? 1;
  for (let start = 0; start < numbers.length; start += chunkLength) {
    const { valueAt } = await readChunk(size === undefined ? [] : [start / chunkLength]);
    for (let at = 0; at < chunkLength && start + at < numbers.length; at += 1) numbers[start + at] = valueAt(at);
  }
  const { values, notes } = decoded(array, numbers);
  const name = array.path.split('/').at(-1) || 'Value';
  const text = (value: number) => (Number.isNaN(value) ? 'No value' : (cellOf(value, isSingle(array)) ?? ''));
  if (size === undefined) return { properties: [[name, text(values[0] ?? Number.NaN)]], notes };
  const [coordinates] = await readCoordinates(file, store, array);
  const labels = coordinates?.labels;
  const table: PreviewTable = {
    columns: [
      { name: `Index of ${array.dimensions[0]}`, isNumber: true },
      ...(labels === undefined ? [] : [{ name: array.dimensions[0] ?? '' }]),
      { name, isNumber: true },
    ],
    rows: Array.from(values, (value, at) => [
      String(at),
      ...(labels === undefined ? [] : [labels[at] ?? '']),
      text(value),
    ]),
    rowsInFile: size,
  };
  const first = values.length < size ? [`${firstOf(values.length)} of ${formatCount(size)} values.`] : [];
  return { table, notes: [...first, ...notes, ...store.notes] };
}
