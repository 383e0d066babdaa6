import { firstOf, formatCount } from '../../../lib/pages/site/format.ts';
import { cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import type { Preview } from '../preview.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { compressionName, decodeTile, readSamples, type Samples, sampleKind } from './geotiff/decode.ts';
import { Tiff, type TiffDirectory } from './geotiff/directory.ts';
import { paint, type Raster } from './geotiff/paint.ts';
import { boundsLabel, boundsText } from './map.ts';

/** The larger side of an overview must have at least this many pixels to be useful as a preview. */
const sideWanted = 512;
const pixelsMax = 4_200_000;
const tileBytesMax = 32 * 1024 * 1024;
const tilesMax = 256;
const stripsMax = 16 * tilesMax;
/** The largest gap between two tiles that are still read with one request. */
const gapBytesMax = 64 * 1024;
const photometric = { rgb: 2, palette: 3 };
const separatePlanes = 2;
const geoKey = { geographic: 2048, projected: 3072 };
/** The EPSG code that means: the file itself defines its coordinate system. */
const ownDefinition = 32_767;

interface Size {
  width: number;
  height: number;
}

/**
 * Reads a preview image. From a Cloud-optimized GeoTIFF, reads the smallest overview that is large enough. From another
 * TIFF file, reads the image itself if it is small.
 */
export async function readGeotiff(file: BoundedRanges): Promise<Preview> {
  const tiff = new Tiff(file);
  const images = await Promise.all(
    (await tiff.directories()).map(async (directory) => ({ directory, ...(await sizeOf(directory)) })),
  );
  const [full] = images;
  if (full === undefined) throw new PreviewRefusal('damaged');
  const shown = overviewOf(images, full);
  const layout = await readLayout(shown.directory, shown);
  const noDataText = (await shown.directory.text('noData')).trim();
  const noData = noDataText === '' || Number.isNaN(Number(noDataText)) ? undefined : Number(noDataText);
  const planes = await readPlanes(file, tiff, shown.directory, layout, noData);
  const palette = layout.hasPalette ? await shown.directory.numbers('palette', 3 * 256) : [];
  const raster: Raster = {
    ...{ width: shown.width, height: shown.height, bands: planes, kind: layout.kind, noData, isRgb: layout.isRgb },
    palette: palette.length === 3 * 256 ? palette : undefined,
    alpha: layout.hasAlpha ? planes.length - 1 : undefined,
  };
  const [width, height] = [formatCount(full.width), formatCount(full.height)];
  const shownSize = `${formatCount(shown.width)} × ${formatCount(shown.height)}`;
  const isWhole = shown.width === full.width;
  return {
    picture: { ...paint(raster), description: `Overview of an image of ${width} × ${height} pixels` },
    properties: [
      ['Pixels', `${width} × ${height}`],
      ['Bands', `${layout.samples} × ${layout.kind}`],
      ['Compression', compressionName(layout.compression)],
      ...(await describeLocation(full.directory, full)),
      ...(noDataText === '' ? [] : ([['No data', cutText(noDataText, 40)]] as [string, string][])),
    ],
    notes: [
      isWhole ? 'The whole image.' : `An overview of ${shownSize} pixels; the image has ${width} × ${height}.`,
      ...(layout.samples > planes.length ? [`${firstOf(planes.length)} of ${layout.samples} bands.`] : []),
      readNote(file),
    ],
  };
}

async function sizeOf(directory: TiffDirectory): Promise<Size & { isMask: boolean }> {
  const { width, height, subfile } = await directory.firstNumbers({ width: 0, height: 0, subfile: 0 });
  return { width, height, isMask: (subfile & 4) !== 0 };
}

/**
 * Returns the smallest image that is large enough for a preview, or the largest image if none is. Throws
 * PreviewRefusal.
 */
function overviewOf<Image extends Size & { isMask: boolean }>(images: readonly Image[], full: Image): Image {
  const candidates = images
    .filter(({ isMask, width, height }) => !isMask && width > 0 && height > 0)
    .filter((image) => image === full || image.width < full.width)
    .sort((a, b) => a.width * a.height - b.width * b.height);
  const chosen = candidates.find(({ width, height }) => Math.max(width, height) >= sideWanted) ?? candidates.at(-1);
  if (chosen === undefined) throw new PreviewRefusal('damaged');
  if (chosen.width * chosen.height <= pixelsMax) return chosen;
  throw new PreviewRefusal('no-overview', `${formatCount(chosen.width)} × ${formatCount(chosen.height)}`);
}

type Layout = Awaited<ReturnType<typeof readLayout>>;

/**
 * Reads how the pixels of an image are stored. Throws PreviewRefusal if a size exceeds its limit, before any memory is
 * reserved.
 */
async function readLayout(directory: TiffDirectory, { width, height }: Size) {
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
  /** The number of bands that the picture needs. The last of them is the opacity if `hasAlpha`. */
  const bands = (isRgb ? 3 : 1) + (hasAlpha ? 1 : 0);
  const [across, down] = [Math.ceil(width / tileWidth), Math.ceil(height / tileHeight)];
  const tiles = across * down * (hasOwnTiles ? bands : 1);
  if (tileBytes > tileBytesMax || tiles > (isTiled ? tilesMax : stripsMax))
    throw new PreviewRefusal('too-large-inside');
  const hasPalette = fields.photometric === photometric.palette && bits <= 16;
  const own = { width, height, kind, samplesInTile, bands, hasAlpha, hasPalette, hasOwnTiles, isRgb, isTiled, tiles };
  return { ...fields, ...own, tileWidth, tileHeight, tileBytes, across, down };
}

/**
 * The array types that hold a band, by the type of its samples. Each is wide enough for a "no data" number outside the
 * range of the samples.
 */
const planeTypes = { uint8: Uint8Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array };

/** Returns the samples of each band. Decodes one tile after another, so that only one decoded tile is in memory. */
async function readPlanes(
  file: BoundedRanges,
  tiff: Tiff,
  directory: TiffDirectory,
  layout: Layout,
  noData: number | undefined,
): Promise<Samples[]> {
  const { width, height, samplesInTile, isTiled, tileWidth, tileHeight, across, down, tiles } = layout;
  const Plane = planeTypes[layout.kind as keyof typeof planeTypes] ?? Int32Array;
  const planes = Array.from({ length: layout.bands }, (): Samples => new Plane(width * height));
  for (const plane of planes) if (noData !== undefined) plane.fill(noData);
  const parts = await readTiles(
    file,
    await directory.numbers(isTiled ? 'tileOffsets' : 'stripOffsets', tiles),
    await directory.numbers(isTiled ? 'tileBytes' : 'stripBytes', tiles),
  );
  for (const [index, bytes] of parts.entries()) {
    // A tile with the length 0 is not stored in the file and has no data.
    if (bytes === undefined) continue;
    const decoded = decodeTile(bytes, layout.compression, layout.tileBytes);
    const samples = { ...layout, isLittle: tiff.isLittle, width: tileWidth, samples: samplesInTile };
    const values = readSamples(decoded, samples);
    const left = (index % across) * tileWidth;
    const top = (Math.floor(index / across) % down) * tileHeight;
    for (const [band, plane] of planes.entries()) {
      if (layout.hasOwnTiles && band !== Math.floor(index / (across * down))) continue;
      const sample = layout.hasOwnTiles ? 0 : band;
      for (let y = 0; y < tileHeight && top + y < height; y += 1) {
        for (let x = 0; x < tileWidth && left + x < width; x += 1) {
          plane[(top + y) * width + left + x] = values[(y * tileWidth + x) * samplesInTile + sample] ?? 0;
        }
      }
    }
  }
  return planes;
}

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
  await Promise.all(
    runs.map(async ({ start, end, tiles: members }) => {
      const bytes = await file.read(start, end);
      for (const tile of members) found[tile.index] = bytes.subarray(tile.start - start, tile.end - start);
    }),
  );
  return found;
}

/** Describes where on Earth the image is, from the file's header. */
async function describeLocation(directory: TiffDirectory, { width, height }: Size): Promise<[string, string][]> {
  const [[scaleX = 0, scaleY = 0], tiePoint, keys] = await Promise.all([
    directory.numbers('pixelScale', 3),
    directory.numbers('tiePoint', 6),
    directory.numbers('geoKeys', 400),
  ]);
  const found: [string, string][] = [];
  const code = codeOf(keys);
  if (code !== undefined) found.push(['Coordinates', `EPSG:${code}`]);
  const [pixelX = 0, pixelY = 0, , x = 0, y = 0] = tiePoint;
  if (scaleX > 0 && scaleY > 0 && tiePoint.length === 6) {
    const [west, north] = [x - pixelX * scaleX, y + pixelY * scaleY];
    const short = (value: number) => String(Number(value.toPrecision(6)));
    found.push(['Size of a pixel', `${short(scaleX)} × ${short(scaleY)}`]);
    found.push([boundsLabel, boundsText([west, north - height * scaleY, west + width * scaleX, north])]);
  }
  return found;
}

/**
 * Finds the code of the coordinate system in a GeoKey directory. Each entry of the directory is an ID with the position
 * of its value.
 */
function codeOf(keys: readonly number[]): number | undefined {
  for (const wanted of [geoKey.projected, geoKey.geographic]) {
    for (let at = 4; at + 3 < keys.length; at += 4) {
      const value = keys[at + 3] ?? 0;
      if (keys[at] === wanted && keys[at + 1] === 0 && value > 0 && value < ownDefinition) return value;
    }
  }
  return undefined;
}
