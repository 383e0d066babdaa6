import type { Picture } from '../../preview.ts';
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
  /** The red, green, and blue of each palette entry. 65,536 is the maximum of a color. */
  palette: readonly number[] | undefined;
  isRgb: boolean;
  /** The index of the opacity band. */
  alpha: number | undefined;
}

/**
 * Converts samples to pixels. Color images keep their colors. A single band is shown with a color scale over its usual
 * range.
 */
export function paint(raster: Raster): Omit<Picture, 'description'> {
  const { width, height, bands, palette, isRgb, kind, noData } = raster;
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
    const planes = bands.slice(0, 3);
    const ranges = planes.map((band) => (kind === 'uint8' ? ([0, 255] as const) : usualRange(band, noData)));
    return paintAll(planes, (...values) =>
      values.map((value, plane) => {
        const [low, high] = ranges[plane] ?? [0, 255];
        return high > low ? ((value - low) / (high - low)) * 255 : 0;
      }),
    );
  }
  const [low, high] = usualRange(bands[0] ?? new Uint8Array(), noData);
  const scale = high > low ? 1 / (high - low) : 0;
  const legend = { lowest: shortNumber(low), highest: shortNumber(high) };
  return { ...paintAll(bands.slice(0, 1), (value) => rampAt((value - low) * scale)), legend };
}

function isThere({ noData, alpha, bands }: Raster, value: number, index: number): boolean {
  return Number.isFinite(value) && value !== noData && (alpha === undefined || bands[alpha]?.[index] !== 0);
}

/** Returns the range of the samples without the lowest and the highest 2 %. Looks at some of the pixels only. */
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

function rampAt(share: number): number[] {
  const position = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
  const index = Math.min(ramp.length - 2, Math.floor(position));
  const [from = [], to = []] = [ramp[index], ramp[index + 1]];
  return from.map((value, plane) => value + ((to[plane] ?? 0) - value) * (position - index));
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
