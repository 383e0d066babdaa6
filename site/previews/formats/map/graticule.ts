import type { GraticuleLine } from '../../preview.ts';

const steps = [45, 30, 20, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const linesWanted = 4;

export interface DegreeBounds {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Returns lines at round degrees, which give orientation without a base map. */
export function graticuleOf(
  { west, south, east, north }: DegreeBounds,
  placeX: (longitude: number) => number,
  placeY: (latitude: number) => number,
): GraticuleLine[] {
  const span = Math.max(east - west, north - south);
  const step = steps.find((each) => span / each >= linesWanted);
  if (step === undefined) return [];
  const lines = (from: number, to: number) => {
    const found: number[] = [];
    for (let index = Math.ceil(from / step); index * step <= to && found.length < 24; index += 1)
      found.push(index * step);
    return found;
  };
  return [
    ...lines(west, east).map((at) => ({ axis: 'x' as const, at: placeX(at), label: degrees(at, step, 'E', 'W') })),
    ...lines(south, north).map((at) => ({ axis: 'y' as const, at: placeY(at), label: degrees(at, step, 'N', 'S') })),
  ];
}

function degrees(value: number, step: number, positive: string, negative: string): string {
  const digits = step >= 1 ? 0 : Math.ceil(-Math.log10(step));
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0 || Number(text) === 180) return `${Number(text)}°`;
  return `${text}° ${value > 0 ? positive : negative}`;
}
