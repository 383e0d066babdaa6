import { formatBytes, formatCount } from '../../../lib/pages/site/format.ts';
import { cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import { previewTexts } from '../../../lib/pages/site/previews/sentences.ts';
import type { Preview } from '../preview.ts';
import type { BoundedRanges } from '../reading/bounded-ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { compressionName, decodeTile } from './geotiff/decode.ts';
import { Tiff, type TiffDirectory } from './geotiff/directory.ts';
import { paint } from './geotiff/paint.ts';
import { describePlace } from './geotiff/place.ts';
import { readSamples, type Samples, sampleKind } from './geotiff/samples.ts';

/** The larger side of a useful overview has at least this many pixels. */
const sideWanted = 512;
const pixelsMax = 4_200_000;
const tileBytesMax = 32 * 1024 * 1024;
const tilesMax = 256;
const bandsMax = 16;
/** One request reads tiles with a gap up to this size. */
const gapBytesMax = 64 * 1024;
const tag = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planar: 284,
  predictor: 317,
  palette: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  format: 339,
  noData: 42113,
} as const;
const photometric = { whiteIsZero: 0, rgb: 2, palette: 3 };

/**
 * Reads the smallest sufficient overview of a Cloud-optimized GeoTIFF. In other TIFF files, reads the image if it is
 * small.
 */
export async function readGeotiff(file: BoundedRanges): Promise<Preview> {
  const tiff = new Tiff(file);
  const directories = await tiff.directories();
  const [first] = directories;
  if (first === undefined) throw new PreviewRefusal('damaged');
  const sizes = await Promise.all(directories.map((each) => sizeOf(each)));
  const [full] = sizes;
  if (full === undefined) throw new PreviewRefusal('damaged');
  const candidates = sizes
    .map((size, index) => ({ ...size, directory: directories[index] ?? first }))
    .filter(
      ({ isMask, width, height }, index) => !isMask && width > 0 && height > 0 && (index === 0 || width < full.width),
    )
    .sort((a, b) => a.width * a.height - b.width * b.height);
  const chosen = candidates.find(({ width, height }) => Math.max(width, height) >= sideWanted) ?? candidates.at(-1);
  if (chosen === undefined) throw new PreviewRefusal('damaged');
  if (chosen.width * chosen.height > pixelsMax)
    throw new PreviewRefusal('no-overview', `${formatCount(chosen.width)} × ${formatCount(chosen.height)}`);
  const image = await readImage(file, tiff, chosen.directory, chosen);
  const place = await describePlace(first, full);
  const { facts: labels } = previewTexts;
  return {
    picture: {
      ...paint(image.raster),
      description: previewTexts.pictureOf(formatCount(full.width), formatCount(full.height)),
    },
    facts: [
      [labels.size, `${formatCount(full.width)} × ${formatCount(full.height)}`],
      [labels.bands, `${image.bands} × ${image.raster.kind}`],
      [labels.compression, compressionName(image.compression)],
      ...place,
      ...(image.noDataText === '' ? [] : ([[labels.noData, cutText(image.noDataText, 40)]] as [string, string][])),
    ],
    notes: [
      chosen.width === full.width
        ? previewTexts.wholeImage
        : previewTexts.overview(
            formatCount(chosen.width),
            formatCount(chosen.height),
            formatCount(full.width),
            formatCount(full.height),
          ),
      ...(image.bands > image.raster.bands.length
        ? [previewTexts.bandsOf(image.raster.bands.length, image.bands)]
        : []),
      previewTexts.bytesRead(formatBytes(file.used().bytes), formatBytes(file.fileBytes), file.used().requests),
    ],
  };
}

async function sizeOf(directory: TiffDirectory) {
  const [width, height, subfile] = await Promise.all([
    directory.number(tag.width, 0),
    directory.number(tag.height, 0),
    directory.number(tag.subfile, 0),
  ]);
  return { width, height, isMask: (subfile & 4) !== 0 };
}

async function readImage(
  file: BoundedRanges,
  tiff: Tiff,
  directory: TiffDirectory,
  { width, height }: { width: number; height: number },
) {
  const isTiled = directory.countOf(tag.tileOffsets) > 0;
  const [compression, samples, planar, predictor, meaning, format, bits] = await Promise.all([
    directory.number(tag.compression, 1),
    directory.number(tag.samples, 1),
    directory.number(tag.planar, 1),
    directory.number(tag.predictor, 1),
    directory.number(tag.photometric, 1),
    directory.number(tag.format, 1),
    directory.number(tag.bits, 1),
  ]);
  if (!(samples >= 1 && samples <= 65_535)) throw new PreviewRefusal('damaged');
  const kind = sampleKind(format, bits);
  const tileWidth = isTiled ? await directory.number(tag.tileWidth, 0) : width;
  const tileHeight = isTiled
    ? await directory.number(tag.tileHeight, 0)
    : Math.min(height, await directory.number(tag.rowsPerStrip, height));
  const samplesInTile = planar === 2 ? 1 : samples;
  const tileBytes = tileWidth * tileHeight * samplesInTile * (bits / 8);
  if (!(tileWidth > 0 && tileHeight > 0)) throw new PreviewRefusal('damaged');
  if (tileBytes > tileBytesMax) throw new PreviewRefusal('too-large-inside');
  const isRgb = meaning === photometric.rgb && samples >= 3;
  const hasAlpha =
    (isRgb ? samples === 4 : samples === 2) && [1, 2].includes(await directory.number(tag.extraSamples, 0));
  const bands = Math.min(samples, isRgb ? (hasAlpha ? 4 : 3) : hasAlpha ? 2 : 1, bandsMax);
  const [across, down] = [Math.ceil(width / tileWidth), Math.ceil(height / tileHeight)];
  const tiles = across * down * (planar === 2 ? bands : 1);
  if (tiles > tilesMax * (isTiled ? 1 : 16)) throw new PreviewRefusal('too-large-inside');
  const parts = await readTiles(file, {
    offsets: await directory.numbers(isTiled ? tag.tileOffsets : tag.stripOffsets, tiles),
    lengths: await directory.numbers(isTiled ? tag.tileBytes : tag.stripBytes, tiles),
  });
  const planes = Array.from({ length: bands }, () => emptyPlane(kind, width * height));
  const noDataText = (await directory.text(tag.noData)).trim();
  const noData = noDataText === '' || Number.isNaN(Number(noDataText)) ? undefined : Number(noDataText);
  for (const plane of planes) if (noData !== undefined) plane.fill(noData);
  for (const [index, bytes] of parts.entries()) {
    // A tile of length 0 has no data.
    if (bytes === undefined) continue;
    const inPlane = index % (across * down);
    const decoded = decodeTile(bytes, compression, tileBytes);
    const values = readSamples(decoded, {
      bits,
      format,
      isLittle: tiff.isLittle,
      predictor,
      width: tileWidth,
      samples: samplesInTile,
    });
    const at = {
      left: (inPlane % across) * tileWidth,
      top: Math.floor(inPlane / across) * tileHeight,
      tileWidth,
      tileHeight,
    };
    if (planar === 2) copyTile(values, 1, 0, planes[Math.floor(index / (across * down))], { ...at, width, height });
    else for (const [band, plane] of planes.entries()) copyTile(values, samples, band, plane, { ...at, width, height });
  }
  const palette =
    meaning === photometric.palette && bits <= 16 ? await directory.numbers(tag.palette, 3 * 256) : undefined;
  const alpha = hasAlpha ? bands - 1 : undefined;
  const shown = alpha === undefined ? bands : bands - 1;
  return {
    compression,
    bands: samples,
    noDataText,
    raster: {
      width,
      height,
      bands: planes,
      kind,
      noData,
      palette: palette?.length === 768 ? palette : undefined,
      isRgb: isRgb && shown === 3,
      alpha,
    },
  };
}

function emptyPlane(kind: string, length: number): Samples {
  if (kind === 'float64') return new Float64Array(length);
  if (kind === 'float32') return new Float32Array(length);
  return kind === 'uint8'
    ? new Uint8Array(length)
    : kind === 'uint32'
      ? new Uint32Array(length)
      : new Int32Array(length);
}

/** Reads tiles, with one request for neighbours. Returns undefined for absent tiles. */
async function readTiles(file: BoundedRanges, { offsets, lengths }: { offsets: number[]; lengths: number[] }) {
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

interface TilePlacement {
  left: number;
  top: number;
  tileWidth: number;
  tileHeight: number;
  width: number;
  height: number;
}

function copyTile(
  values: Samples,
  samples: number,
  band: number,
  plane: Samples | undefined,
  place: TilePlacement,
): void {
  const { left, top, tileWidth, tileHeight, width, height } = place;
  if (plane === undefined) return;
  for (let y = 0; y < tileHeight && top + y < height; y += 1) {
    for (let x = 0; x < tileWidth && left + x < width; x += 1) {
      plane[(top + y) * width + left + x] = values[(y * tileWidth + x) * samples + band] ?? 0;
    }
  }
}
