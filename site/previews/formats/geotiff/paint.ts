import { significantText } from '../../../../lib/pages/site/previews/cell-text.ts';
import type { Pixels, Stretch } from '../../preview.ts';
import type { Samples } from './decode.ts';

/** A color scale from dark to light that color-blind readers can distinguish. */
const ramp: readonly (readonly number[])[] = [
  [68, 1, 84],
  [65, 68, 135],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
  [253, 231, 37],
];
/**
 * The share of samples at each end of the range that are treated as outliers. They get the color of their end of the
 * scale.
 */
const cutShare = 0.02;
const sampledMax = 50_000;

export interface Raster {
  width: number;
  height: number;
  /** One array of samples for each band. */
  bands: Samples[];
  kind: string;
  noData: number | undefined;
  /** The red, green, and blue of each palette entry, from 0 to 65,535. */
  palette: readonly number[] | undefined;
  isRgb: boolean;
  /** The index of the opacity band. */
  alpha: number | undefined;
}

/** The sample values that a band shows as the darkest and the lightest color. */
export type Range = readonly [low: number, high: number];

/** Returns the default mapping of an image's numbers to colors. */
export function usualStretch({ kind, isRgb }: Pick<Raster, 'kind' | 'isRgb'>): Stretch {
  return isRgb && kind === 'uint8' ? 'none' : 'usual';
}

/** Returns the value range of each visible band. */
export function rangesOf({ bands, isRgb, kind, noData }: Raster, stretch: Stretch): Range[] {
  return bands.slice(0, isRgb ? 3 : 1).map((band) => {
    if (stretch === 'usual') return rangeOf(band, noData, cutShare);
    return (stretch === 'none' && storedRanges[kind]) || rangeOf(band, noData, 0);
  });
}

/** The ranges of integers, by the type of the samples. Floating-point numbers have no usual range. */
const storedRanges: Readonly<Record<string, Range>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65_535],
  int16: [-32_768, 32_767],
};

/** Converts samples to pixels. Color images keep their colors. A single band is shown with a color scale. */
export function paint(
  raster: Raster,
  ranges = rangesOf(raster, usualStretch(raster)),
): Pixels & { legend?: { lowest: string; highest: string } } {
  const { width, height, bands, palette, isRgb } = raster;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const paintAll = (shown: readonly Samples[], colourOf: (...values: number[]) => readonly number[]) => {
    for (let index = 0; index < width * height; index += 1) {
      const values = shown.map((band) => band[index] ?? Number.NaN);
      if (values.some((value) => isThere(raster, value, index))) pixels.set([...colourOf(...values), 255], index * 4);
    }
    return { width, height, pixels };
  };
  if (palette !== undefined) {
    const colours = palette.length / 3;
    return paintAll(bands.slice(0, 1), (value) =>
      [0, 1, 2].map((plane) => (palette[plane * colours + value] ?? 0) / 257),
    );
  }
  if (isRgb && bands.length >= 3) {
    return paintAll(bands.slice(0, 3), (...values) =>
      values.map((value, plane) => {
        const [low, high] = ranges[plane] ?? [0, 255];
        return high > low ? ((value - low) / (high - low)) * 255 : 0;
      }),
    );
  }
  const [low, high] = ranges[0] ?? [0, 1];
  const scale = high > low ? 1 / (high - low) : 0;
  const legend = { lowest: shortNumber(low), highest: shortNumber(high) };
  return { ...paintAll(bands.slice(0, 1), (value) => rampAt((value - low) * scale)), legend };
}

function isThere({ noData, alpha, bands }: Raster, value: number, index: number): boolean {
  return Number.isFinite(value) && value !== noData && (alpha === undefined || bands[alpha]?.[index] !== 0);
}

/** Returns the range of the samples without outliers. Samples only some of the pixels. */
function rangeOf(band: Samples, noData: number | undefined, cut: number): Range {
  const step = Math.max(1, Math.floor(band.length / sampledMax));
  const values: number[] = [];
  for (let index = 0; index < band.length; index += step) {
    const value = band[index] ?? Number.NaN;
    if (Number.isFinite(value) && value !== noData) values.push(value);
  }
  values.sort((a, b) => a - b);
  const at = (share: number) => values[Math.round(share * (values.length - 1))] ?? 0;
  const [low, high] = [at(cut), at(1 - cut)];
  return high > low ? [low, high] : [at(0), at(1)];
}

function rampAt(share: number): number[] {
  const position = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
  const index = Math.min(ramp.length - 2, Math.floor(position));
  const [from = [], to = []] = [ramp[index], ramp[index + 1]];
  return from.map((value, plane) => value + ((to[plane] ?? 0) - value) * (position - index));
}

function shortNumber(value: number): string {
  return significantText(value, 4);
}
