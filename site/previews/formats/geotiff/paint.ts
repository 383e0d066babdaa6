import type { Picture } from '../../preview.ts';
import type { Samples } from './decode.ts';

/** A color ramp from dark to light that color-blind readers can distinguish. */
const ramp: readonly (readonly [number, number, number])[] = [
  [68, 1, 84],
  [65, 68, 135],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
  [253, 231, 37],
];
/** Share of outliers at each end; they get the color of that end. */
const cutShare = 0.02;
const sampledMax = 50_000;

export interface Raster {
  width: number;
  height: number;
  /** One array for each band. */
  bands: Samples[];
  kind: string;
  noData: number | undefined;
  /** Red, green, and blue of each value; 65,536 is the maximum. */
  palette: readonly number[] | undefined;
  isRgb: boolean;
  /** The index of the opacity band. */
  alpha: number | undefined;
}

/** Converts samples to pixels. Colors stay unchanged, and a single band becomes a ramp over its usual range. */
export function paint(raster: Raster): Omit<Picture, 'description'> {
  const { width, height, bands, palette, isRgb } = raster;
  const pixels = new Uint8ClampedArray(width * height * 4);
  if (palette !== undefined) return { width, height, pixels: paintPalette(raster, pixels, palette) };
  if (isRgb && bands.length >= 3) return { width, height, pixels: paintColours(raster, pixels) };
  const [band = new Uint8Array()] = bands;
  const [low, high] = usualRange(band, raster.noData);
  const scale = high > low ? 1 / (high - low) : 0;
  for (let index = 0; index < width * height; index += 1) {
    const value = band[index] ?? Number.NaN;
    if (!isThere(raster, value, index)) continue;
    pixels.set(colourAt((value - low) * scale), index * 4);
  }
  return { width, height, pixels, legend: { lowest: shortNumber(low), highest: shortNumber(high) } };
}

function paintPalette(raster: Raster, pixels: Uint8ClampedArray<ArrayBuffer>, palette: readonly number[]) {
  const colours = palette.length / 3;
  const [band = new Uint8Array()] = raster.bands;
  for (let index = 0; index < raster.width * raster.height; index += 1) {
    const value = band[index] ?? 0;
    if (!isThere(raster, value, index)) continue;
    const part = (plane: number) => (palette[plane * colours + value] ?? 0) / 257;
    pixels.set([part(0), part(1), part(2), 255], index * 4);
  }
  return pixels;
}

function paintColours(raster: Raster, pixels: Uint8ClampedArray<ArrayBuffer>) {
  const ranges = raster.bands
    .slice(0, 3)
    .map((band) => (raster.kind === 'uint8' ? ([0, 255] as const) : usualRange(band, raster.noData)));
  for (let index = 0; index < raster.width * raster.height; index += 1) {
    const values = raster.bands.slice(0, 3).map((band) => band[index] ?? Number.NaN);
    if (values.every((value) => !isThere(raster, value, index))) continue;
    for (const [plane, value] of values.entries()) {
      const [low, high] = ranges[plane] ?? [0, 255];
      pixels[index * 4 + plane] = high > low ? ((value - low) / (high - low)) * 255 : 0;
    }
    pixels[index * 4 + 3] = 255;
  }
  return pixels;
}

function isThere({ noData, alpha, bands }: Raster, value: number, index: number): boolean {
  return Number.isFinite(value) && value !== noData && (alpha === undefined || bands[alpha]?.[index] !== 0);
}

/** Returns the range without the lowest and the highest 2 %, from a sample of the pixels. */
function usualRange(band: Samples, noData: number | undefined): readonly [number, number] {
  const step = Math.max(1, Math.floor(band.length / sampledMax));
  const values: number[] = [];
  for (let index = 0; index < band.length; index += step) {
    const value = band[index] ?? Number.NaN;
    if (Number.isFinite(value) && value !== noData) values.push(value);
  }
  values.sort((a, b) => a - b);
  const at = (share: number) => values[Math.round(share * (values.length - 1))] ?? 0;
  const [low, high] = [at(cutShare), at(1 - cutShare)];
  return high > low ? [low, high] : [at(0), at(1)];
}

function colourAt(share: number): [number, number, number, number] {
  const place = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
  const index = Math.min(ramp.length - 2, Math.floor(place));
  const [from, to] = [ramp[index] ?? [0, 0, 0], ramp[index + 1] ?? [0, 0, 0]];
  const mix = (plane: 0 | 1 | 2) => from[plane] + (to[plane] - from[plane]) * (place - index);
  return [mix(0), mix(1), mix(2), 255];
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
