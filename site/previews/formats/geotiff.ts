import { formatCount } from '../../../lib/pages/site/format.ts';
import { cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import type { Extent, Look, MapPicture, PartRequest, Pixels, Preview, RasterChoice } from '../preview.ts';
import { type BoundedRanges, readNote, wholeFileBytesMax } from '../reading/ranges.ts';
import { PreviewRefusal, refusalOf } from '../reading/refusal.ts';
import { compressionName, decodeTile, readSamples, type Samples, sampleKind } from './geotiff/decode.ts';
import { Tiff, type TiffDirectory } from './geotiff/directory.ts';
import { paint, type Range, type Raster, rangesOf, usualStretch } from './geotiff/paint.ts';
import { type Placement, placementOf } from './geotiff/placement.ts';

/** The larger side of an overview must have at least this many pixels to be useful as a preview. */
const sideWanted = 512;
const pixelsMax = 4_200_000;
/** The bytes of a painted pixel: red, green, blue, and opacity. */
const pixelBytes = 4;
const tileBytesMax = 32 * 1024 * 1024;
const tilesMax = 256;
const stripsMax = 16 * tilesMax;
/** The largest gap between two tiles that are still read with one request. */
const gapBytesMax = 64 * 1024;
const photometric = { rgb: 2, palette: 3 };
const separatePlanes = 2;
const bandsNamed = 200;
const metadataBytesMax = 16 * 1024;
/** The number of pixels of a resampled image. */
const resampledMax = 1_500_000;

interface Size {
  width: number;
  height: number;
}

/**
 * Shows an overview of an image, or the part in the user's viewport. From a Cloud-optimized GeoTIFF, reads the smallest
 * overview that has enough pixels. From another TIFF file, reads the image itself if it is small.
 */
export async function readGeotiff(file: BoundedRanges, { look }: PartRequest = {}): Promise<Preview> {
  const opened = await openGeotiff(file);
  const { full, placement, layout, bandNames } = opened;
  const choice = look?.raster ?? opened.choice;
  const isKnown = choice.bands.length > 0 && choice.bands.every((band) => band >= 0 && band < layout.samples);
  if (!isKnown) throw new PreviewRefusal('damaged');
  const bands = [...choice.bands, ...(layout.hasAlpha ? [layout.samples - 1] : [])];
  const overview = await readLevel(opened, opened.overview, wholeImage, bands);
  const raster = await rasterOf(opened, overview, choice);
  const ranges = rangesOf(raster, choice.stretch);
  const shown = look === undefined ? undefined : await readVisible(opened, look, bands);
  const visible = shown ?? overview;
  const picture = await pictureOf(
    visible,
    shown === undefined ? raster : await rasterOf(opened, shown, choice),
    ranges,
    placement,
    look,
  );
  const [width, height] = [formatCount(full.width), formatCount(full.height)];
  const { level } = visible;
  const isWhole = level.width === full.width;
  const { legend } = picture;
  return {
    map: {
      plane: placement.plane,
      extent: placement.extent,
      layers: [],
      pictures: [{ extent: picture.extent, image: picture.image }],
      raster: { bandNames, choice, ...(legend && { legend }) },
      reads: 'next',
      notes: [
        isWhole
          ? 'All pixels of the image.'
          : `Pixels of an overview of ${formatCount(level.width)} × ${formatCount(level.height)}; the image has ${width} × ${height}.`,
      ],
      description: `Image of ${width} × ${height} pixels`,
    },
    properties: look === undefined ? await describe(opened) : [],
    notes: [readNote(file)],
  };
}

type Opened = Awaited<ReturnType<typeof openGeotiff>>;
type Level = Size & { directory: TiffDirectory; isMask: boolean };

async function openGeotiff(file: BoundedRanges) {
  const tiff = new Tiff(file);
  const images = await Promise.all(
    (await tiff.directories()).map(async (directory) => ({ directory, ...(await sizeOf(directory)) })),
  );
  const [full] = images;
  if (full === undefined) throw new PreviewRefusal('damaged');
  const levels = images
    .filter(({ isMask, width, height }) => !isMask && width > 0 && height > 0)
    .filter((image) => image === full || image.width < full.width)
    .sort((a, b) => a.width * a.height - b.width * b.height);
  const layout = await readLayout(full.directory, full, file.fileBytes);
  const overview = overviewOf(levels);
  const choice: RasterChoice = { bands: layout.isRgb ? [0, 1, 2] : [0], stretch: usualStretch(layout) };
  const [placement, bandNames, noDataText] = await Promise.all([
    placementOf(full.directory, full),
    bandNamesOf(full.directory, layout.samples),
    full.directory.text('noData').then((text) => text.trim()),
  ]);
  const noData = noDataText === '' || Number.isNaN(Number(noDataText)) ? undefined : Number(noDataText);
  return { file, tiff, full, levels, overview, layout, choice, placement, bandNames, noData, noDataText };
}

async function describe({ full, layout, placement, noDataText }: Opened): Promise<[string, string][]> {
  return [
    ['Pixels', `${formatCount(full.width)} × ${formatCount(full.height)}`],
    ['Bands', `${layout.samples} × ${layout.kind}`],
    ['Compression', compressionName(layout.compression)],
    ...placement.properties,
    ...(noDataText === '' ? [] : ([['No data', cutText(noDataText, 40)]] as [string, string][])),
  ];
}

/** Returns the names of the bands. GDAL writes descriptions of bands as XML. */
async function bandNamesOf(directory: TiffDirectory, samples: number): Promise<string[]> {
  const names = Array.from({ length: Math.min(samples, bandsNamed) }, (_, band) => `${band + 1}`);
  if (directory.countOf('metadata') > metadataBytesMax) return names;
  const text = await directory.text('metadata', metadataBytesMax);
  for (const [, attributes = '', name = ''] of text.matchAll(/<Item ([^<>]{0,200})>([^<>]{1,200})<\/Item>/g)) {
    const band = Number(/\bsample="(\d{1,5})"/.exec(attributes)?.[1] ?? -1);
    if (/\brole="description"/.test(attributes) && band >= 0 && band < names.length)
      names[band] = `${band + 1}: ${cutText(name, 60)}`;
  }
  return names;
}

async function rasterOf(
  { full, layout, noData }: Opened,
  { area, planes }: ReadArea,
  { bands }: RasterChoice,
): Promise<Raster> {
  const isDefault = bands.length === 1 && bands[0] === 0;
  const palette = layout.hasPalette && isDefault ? await full.directory.numbers('palette', 3 * 256) : [];
  return {
    ...{ width: area.width, height: area.height, bands: planes, kind: layout.kind, noData, isRgb: bands.length === 3 },
    palette: palette.length === 3 * 256 ? palette : undefined,
    alpha: layout.hasAlpha ? planes.length - 1 : undefined,
  };
}

/** Returns the smallest image that is large enough for a preview, or the largest image if none is. */
function overviewOf(levels: readonly Level[]): Level {
  const chosen = levels.find(({ width, height }) => Math.max(width, height) >= sideWanted) ?? levels.at(-1);
  if (chosen === undefined) throw new PreviewRefusal('damaged');
  if (chosen.width * chosen.height <= pixelsMax) return chosen;
  throw new PreviewRefusal('no-overview', `${formatCount(chosen.width)} × ${formatCount(chosen.height)}`);
}

/** A part of an image: left, top, right, bottom as shares of its width and height. */
type Part = readonly [left: number, top: number, right: number, bottom: number];
const wholeImage: Part = [0, 0, 1, 1];

/** Pixels of a rectangle in one of the images. */
interface ReadArea {
  level: Level;
  area: Size & { left: number; top: number };
  planes: Samples[];
}

/**
 * Reads the visible part from the smallest image that has enough pixels for the screen. Reads a smaller image if that
 * is too much to read. Returns undefined if no part is visible.
 */
async function readVisible(opened: Opened, look: Look, bands: readonly number[]): Promise<ReadArea | undefined> {
  const { levels, placement } = opened;
  const part = visiblePart(placement, look);
  if (part === undefined) return undefined;
  const enough = levels.findIndex(({ width }) => (part[2] - part[0]) * width >= look.width * 0.75);
  for (let index = enough === -1 ? levels.length - 1 : enough; index > 0; index -= 1) {
    const level = levels[index];
    if (level === undefined) break;
    try {
      return await readLevel(opened, level, part, bands);
    } catch (error) {
      const { reason } = refusalOf(error);
      if (reason !== 'too-much-to-read' && reason !== 'too-large-inside') throw error;
    }
  }
  const [smallest] = levels;
  return smallest && readLevel(opened, smallest, part, bands);
}

const gridStep = 16;

/**
 * Returns the visible part of the image. Samples positions all over the screen, because the map projection may bend the
 * image.
 */
function visiblePart({ extent, toImage }: Placement, look: Look): Part | undefined {
  const [left, top, right, bottom] = commonExtent(extent, look.extent);
  if (!(left < right && top < bottom)) return undefined;
  const part: [number, number, number, number] = [1, 1, 0, 0];
  for (let row = 0; row <= gridStep; row += 1) {
    for (let column = 0; column <= gridStep; column += 1) {
      const [u, v] = toImage(left + ((right - left) * column) / gridStep, top + ((bottom - top) * row) / gridStep);
      part[0] = Math.min(part[0], Math.max(u, 0));
      part[1] = Math.min(part[1], Math.max(v, 0));
      part[2] = Math.max(part[2], Math.min(u, 1));
      part[3] = Math.max(part[3], Math.min(v, 1));
    }
  }
  return part[0] < part[2] && part[1] < part[3] ? part : undefined;
}

function commonExtent(a: Readonly<Extent>, b: Readonly<Extent>): Extent {
  return [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
}

/** Colors the pixels, and returns their position on the map. */
function pictureOf(
  { level, area }: ReadArea,
  raster: Raster,
  ranges: Range[],
  placement: Placement,
  look: Look | undefined,
): MapPicture & { legend?: { lowest: string; highest: string } } {
  const { legend, ...image } = paint(raster, ranges);
  const { extent, isLinear, toImage } = placement;
  if (isLinear) {
    const [left, top, right, bottom] = extent;
    const x = (pixel: number) => left + ((right - left) * pixel) / level.width;
    const y = (pixel: number) => top + ((bottom - top) * pixel) / level.height;
    const placed: Extent = [x(area.left), y(area.top), x(area.left + area.width), y(area.top + area.height)];
    return { extent: placed, image, ...(legend && { legend }) };
  }
  const shown = look === undefined ? extent : commonExtent(extent, look.extent);
  const drawn = shown[0] < shown[2] && shown[1] < shown[3] ? shown : extent;
  const aspect = (drawn[3] - drawn[1]) / (drawn[2] - drawn[0]);
  const wanted =
    look === undefined ? area.width : (look.width * (drawn[2] - drawn[0])) / (look.extent[2] - look.extent[0]);
  const width = Math.max(1, Math.round(Math.min(wanted, Math.sqrt(resampledMax / aspect))));
  const height = Math.max(1, Math.min(Math.round(width * aspect), resampledMax));
  const source = (x: number, y: number) => {
    const [u, v] = toImage(x, y);
    return [u * level.width - area.left, v * level.height - area.top] as const;
  };
  return { extent: drawn, image: resampled(image, drawn, { width, height }, source), ...(legend && { legend }) };
}

/**
 * Draws an image that the map projection bends. Computes the exact position in the image for every sixteenth pixel, and
 * interpolates between them.
 */
function resampled(
  image: Pixels,
  [left, top, right, bottom]: Readonly<Extent>,
  { width, height }: Size,
  source: (x: number, y: number) => readonly [number, number],
): Pixels {
  const pixels = new Uint8ClampedArray(width * height * 4);
  const from = new Uint32Array(image.pixels.buffer);
  const to = new Uint32Array(pixels.buffer);
  const at = (column: number, row: number) =>
    source(left + ((right - left) * (column + 0.5)) / width, top + ((bottom - top) * (row + 0.5)) / height);
  for (let row = 0; row < height; row += gridStep) {
    for (let column = 0; column < width; column += gridStep) {
      const corners = [
        at(column, row),
        at(column + gridStep, row),
        at(column, row + gridStep),
        at(column + gridStep, row + gridStep),
      ] as const;
      for (let y = 0; y < gridStep && row + y < height; y += 1) {
        for (let x = 0; x < gridStep && column + x < width; x += 1) {
          const sourceX = Math.floor(between(corners, 0, x / gridStep, y / gridStep));
          const sourceY = Math.floor(between(corners, 1, x / gridStep, y / gridStep));
          if (sourceX < 0 || sourceY < 0 || sourceX >= image.width || sourceY >= image.height) continue;
          to[(row + y) * width + column + x] = from[sourceY * image.width + sourceX] ?? 0;
        }
      }
    }
  }
  return { width, height, pixels };
}

type Position = readonly [number, number];

function between(
  corners: readonly [Position, Position, Position, Position],
  axis: 0 | 1,
  x: number,
  y: number,
): number {
  const [leftTop, rightTop, leftBottom, rightBottom] = corners;
  const above = leftTop[axis] + (rightTop[axis] - leftTop[axis]) * x;
  const below = leftBottom[axis] + (rightBottom[axis] - leftBottom[axis]) * x;
  return above + (below - above) * y;
}

async function sizeOf(directory: TiffDirectory): Promise<Size & { isMask: boolean }> {
  const { width, height, subfile } = await directory.firstNumbers({ width: 0, height: 0, subfile: 0 });
  return { width, height, isMask: (subfile & 4) !== 0 };
}

/** Reads how the pixels of an image are stored. Throws PreviewRefusal for sizes that cannot be true. */
async function readLayout(directory: TiffDirectory, { width, height }: Size, fileBytes: number) {
  const isTiled = directory.countOf('tileOffsets') > 0;
  const fields = await directory.firstNumbers({
    ...{ compression: 1, predictor: 1, format: 1, bits: 1, samples: 1, planar: 1, photometric: 1, extraSamples: 0 },
    ...{ tileWidth: 0, tileHeight: 0, rowsPerStrip: height },
  });
  const { format, bits, samples } = fields;
  if (!(samples >= 1 && samples <= 65_535)) throw new PreviewRefusal('damaged');
  const kind = sampleKind(format, bits);
  const tileWidth = isTiled ? fields.tileWidth : width;
  const tileHeight = isTiled ? fields.tileHeight : Math.min(height, fields.rowsPerStrip);
  if (!(tileWidth > 0 && tileHeight > 0)) throw new PreviewRefusal('damaged');
  const hasOwnTiles = fields.planar === separatePlanes;
  const samplesInTile = hasOwnTiles ? 1 : samples;
  const tileBytes = tileWidth * tileHeight * samplesInTile * (bits / 8);
  const isRgb = fields.photometric === photometric.rgb && samples >= 3;
  const hasAlpha = samples === (isRgb ? 4 : 2) && [1, 2].includes(fields.extraSamples);
  const [across, down] = [Math.ceil(width / tileWidth), Math.ceil(height / tileHeight)];
  const hasPalette = fields.photometric === photometric.palette && bits <= 16;
  checkTiles(directory, { isTiled, tiles: across * down * (hasOwnTiles ? samples : 1), tileBytes, fileBytes });
  const own = { width, height, kind, samplesInTile, hasAlpha, hasPalette, hasOwnTiles, isRgb, isTiled };
  return { ...fields, ...own, tileWidth, tileHeight, tileBytes, across, down };
}

/** The largest ratio that a supported compression can reach. */
const compressionMax = 2 ** 15;

/**
 * Throws PreviewRefusal if a file is too small for the image size that its header claims. The file must contain at
 * least the position of each tile and one tile.
 */
function checkTiles(
  directory: TiffDirectory,
  { isTiled, tiles, tileBytes, fileBytes }: { isTiled: boolean; tiles: number; tileBytes: number; fileBytes: number },
): void {
  const stored = directory.countOf(isTiled ? 'tileOffsets' : 'stripOffsets');
  if (stored < tiles || stored > fileBytes || tileBytes > fileBytes * compressionMax)
    throw new PreviewRefusal('damaged');
}

/**
 * Reads the samples of some bands in a part of an image. Decodes one tile after another, so that only one decoded tile
 * is in memory. Throws PreviewRefusal if a size exceeds its limit, before any memory is reserved.
 */
async function readLevel(
  { file, tiff, noData }: Opened,
  level: Level,
  part: Part,
  bands: readonly number[],
): Promise<ReadArea> {
  const { directory } = level;
  const layout = await readLayout(directory, level, file.fileBytes);
  const { samplesInTile, isTiled, tileWidth, tileHeight, tileBytes, across, down, hasOwnTiles } = layout;
  if (bands.some((band) => band >= layout.samples)) throw new PreviewRefusal('damaged');
  const left = Math.min(Math.floor(part[0] * level.width), level.width - 1);
  const top = Math.min(Math.floor(part[1] * level.height), level.height - 1);
  const width = Math.max(1, Math.min(Math.ceil(part[2] * level.width), level.width) - left);
  const height = Math.max(1, Math.min(Math.ceil(part[3] * level.height), level.height) - top);
  const [firstColumn, lastColumn] = [Math.floor(left / tileWidth), Math.floor((left + width - 1) / tileWidth)];
  const [firstRow, lastRow] = [Math.floor(top / tileHeight), Math.floor((top + height - 1) / tileHeight)];
  const columns = lastColumn - firstColumn + 1;
  const count = columns * (lastRow - firstRow + 1) * (hasOwnTiles ? bands.length : 1);
  const isTooLarge = width * height > pixelsMax || tileBytes > tileBytesMax || count > (isTiled ? tilesMax : stripsMax);
  if (isTooLarge) throw new PreviewRefusal('too-large-inside');
  const Plane = planeTypes[layout.kind as keyof typeof planeTypes] ?? Int32Array;
  file.reserve(width * height * (bands.length * Plane.BYTES_PER_ELEMENT + pixelBytes));
  const planes = bands.map((): Samples => new Plane(width * height));
  for (const plane of planes) if (noData !== undefined) plane.fill(noData);
  /** Each tile's index in the file, its position, and its band if each band has separate tiles. */
  const wanted = (hasOwnTiles ? bands : [0]).flatMap((band, plane) =>
    Array.from({ length: lastRow - firstRow + 1 }, (_, row) => firstRow + row).flatMap((row) =>
      Array.from({ length: columns }, (_, column) => {
        const index = (hasOwnTiles ? band * across * down : 0) + row * across + firstColumn + column;
        return { index, plane, x: (firstColumn + column) * tileWidth, y: row * tileHeight };
      }),
    ),
  );
  const indexes = wanted.map(({ index }) => index);
  const [offsets, lengths] = await Promise.all([
    numbersAt(directory, isTiled ? 'tileOffsets' : 'stripOffsets', indexes),
    numbersAt(directory, isTiled ? 'tileBytes' : 'stripBytes', indexes),
  ]);
  const parts = await readTiles(file, offsets, lengths);
  for (const [index, bytes] of parts.entries()) {
    // A tile with the length 0 is not stored in the file and has no data.
    const tile = wanted[index];
    if (bytes === undefined || tile === undefined) continue;
    // A decoded tile, and a copy of it in the byte order of this machine.
    file.reserve(2 * tileBytes);
    const decoded = decodeTile(bytes, layout.compression, tileBytes);
    const samples = { ...layout, isLittle: tiff.isLittle, width: tileWidth, samples: samplesInTile };
    const values = readSamples(decoded, samples);
    const [fromX, toX] = [Math.max(left, tile.x), Math.min(left + width, tile.x + tileWidth)];
    for (const [at, plane] of planes.entries()) {
      if (hasOwnTiles && at !== tile.plane) continue;
      const sample = hasOwnTiles ? 0 : (bands[at] ?? 0);
      for (let y = Math.max(top, tile.y); y < Math.min(top + height, tile.y + tileHeight); y += 1) {
        for (let x = fromX; x < toX; x += 1) {
          const from = ((y - tile.y) * tileWidth + x - tile.x) * samplesInTile + sample;
          plane[(y - top) * width + x - left] = values[from] ?? 0;
        }
      }
    }
  }
  return { level, area: { left, top, width, height }, planes };
}

/** The largest gap between two requested numbers that are still read with one request. */
const numbersGapMax = 1024;

/** Returns the numbers of a field at the given ascending indexes. */
async function numbersAt(
  directory: TiffDirectory,
  tag: 'tileOffsets' | 'tileBytes' | 'stripOffsets' | 'stripBytes',
  indexes: readonly number[],
): Promise<number[]> {
  const runs: { from: number; to: number }[] = [];
  for (const index of indexes) {
    const run = runs.at(-1);
    if (run !== undefined && index - run.to <= numbersGapMax && index - run.from < numbersGapMax * 4) run.to = index;
    else runs.push({ from: index, to: index });
  }
  const read = await Promise.all(
    runs.map(async ({ from, to }) => ({ from, to, numbers: await directory.numbersFrom(tag, from, to - from + 1) })),
  );
  return indexes.map((index) => {
    const run = read.find(({ from, to }) => from <= index && index <= to);
    return run?.numbers[index - run.from] ?? 0;
  });
}

/**
 * The array types that hold a band, by sample type. Each type is wide enough for a "no data" number outside the range
 * of the samples.
 */
const planeTypes = { uint8: Uint8Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array };

/**
 * Reads tiles. Tiles that are neighbors in the file are read with one request. Returns undefined for a tile that is not
 * in the file.
 */
async function readTiles(file: BoundedRanges, offsets: readonly number[], lengths: readonly number[]) {
  const tiles = offsets
    .map((start, index) => ({ start, end: start + (lengths[index] ?? 0), index }))
    .filter(({ start, end }) => end > start && start > 0);
  const runs: { start: number; end: number; tiles: typeof tiles }[] = [];
  for (const tile of tiles.toSorted((a, b) => a.start - b.start)) {
    const run = runs.at(-1);
    if (run !== undefined && tile.start <= run.end + gapBytesMax) {
      run.end = Math.max(run.end, tile.end);
      run.tiles.push(tile);
    } else runs.push({ start: tile.start, end: tile.end, tiles: [tile] });
  }
  const found: (Uint8Array | undefined)[] = offsets.map(() => undefined);
  // Check the sum of the sizes first, so that no tile is read if the total exceeds the limit.
  const remaining = file.remaining();
  const bytes = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  if (file.fileBytes > wholeFileBytesMax && (runs.length > remaining.requests || bytes > remaining.bytes)) {
    throw new PreviewRefusal('too-much-to-read');
  }
  await Promise.all(
    runs.map(async ({ start, end, tiles: members }) => {
      const bytes = await file.read(start, end);
      for (const tile of members) found[tile.index] = bytes.subarray(tile.start - start, tile.end - start);
    }),
  );
  return found;
}
