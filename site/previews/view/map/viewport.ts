import { significantText } from '../../../../lib/pages/site/previews/cell-text.ts';
import { latitudeOf, longitudeOf, mercatorX, mercatorY } from '../../formats/mercator.ts';
import type { DrawnMap, Extent } from '../../preview.ts';

/** The visible part of a map's plane. Functions return a changed copy of it. */
export interface Viewport {
  /** The position in the plane at the middle of the canvas. */
  x: number;
  y: number;
  /** The number of pixels for each unit of the plane. */
  scale: number;
  width: number;
  height: number;
}

export type Plane = DrawnMap['plane'];

const earthMeters = 40_075_016.686;
/** The minimum size of a pixel in meters on Earth. Data is rarely more precise. */
const metersPerPixelMin = 0.02;

/** Returns the viewport that shows a whole extent. */
export function fitted([left, top, right, bottom]: Readonly<Extent>, width: number, height: number): Viewport {
  const scale = Math.min(width / (right - left || 1), height / (bottom - top || 1));
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale, width, height };
}

export function screenX({ x, scale, width }: Viewport, at: number): number {
  return (at - x) * scale + width / 2;
}

export function screenY({ y, scale, height }: Viewport, at: number): number {
  return (at - y) * scale + height / 2;
}

/** Returns the position in the plane at a pixel of the canvas. */
export function planeAt({ x, y, scale, width, height }: Viewport, left: number, top: number): [x: number, y: number] {
  return [x + (left - width / 2) / scale, y + (top - height / 2) / scale];
}

export function extentOf(viewport: Viewport): Extent {
  const { width, height } = viewport;
  return [...planeAt(viewport, 0, 0), ...planeAt(viewport, width, height)];
}

/** Moves the map by pixels. */
export function panned(viewport: Viewport, right: number, down: number): Viewport {
  return { ...viewport, x: viewport.x - right / viewport.scale, y: viewport.y - down / viewport.scale };
}

/** Zooms by a factor. The position in the plane at the given pixel stays where it is. */
export function zoomed(viewport: Viewport, factor: number, left: number, top: number): Viewport {
  const [x, y] = planeAt(viewport, left, top);
  const scale = viewport.scale * factor;
  const { width, height } = viewport;
  return { ...viewport, scale, x: x - (left - width / 2) / scale, y: y - (top - height / 2) / scale };
}

/**
 * Keeps the middle of the canvas inside the map. Limits the scale: the whole map at most, and small details at least.
 */
export function bounded(viewport: Viewport, plane: Plane, whole: Readonly<Extent>): Viewport {
  const area = plane === 'mercator' ? ([0, 0, 1, 1] as const) : whole;
  const { width, height } = viewport;
  const smallest = fitted([...area], width, height).scale / 2;
  const largest = plane === 'mercator' ? earthMeters / metersPerPixelMin : smallest * 1e6;
  const scale = Math.min(Math.max(viewport.scale, smallest), largest);
  const [left, top, right, bottom] = area;
  return {
    ...viewport,
    scale,
    x: Math.min(Math.max(viewport.x, left), right),
    y: Math.min(Math.max(viewport.y, top), bottom),
  };
}

/** Returns the size of a pixel at the middle of the map, in meters. */
export function metersPerPixel({ y, scale }: Viewport): number {
  return (earthMeters * Math.cos((latitudeOf(y) * Math.PI) / 180)) / scale;
}

export interface ScaleBar {
  pixels: number;
  label: string;
}

const barPixelsMax = 110;

/** Returns a round length for the scale bar, and its length on the screen. */
export function scaleBarOf(viewport: Viewport, plane: Plane): ScaleBar {
  const unit = plane === 'mercator' ? metersPerPixel(viewport) : 1 / viewport.scale;
  const longest = unit * barPixelsMax;
  const power = 10 ** Math.floor(Math.log10(longest));
  const length = ([5, 2, 1].find((step) => step * power <= longest) ?? 1) * power;
  return { pixels: length / unit, label: plane === 'mercator' ? lengthText(length) : `${shortNumber(length)} units` };
}

function lengthText(meters: number): string {
  if (meters >= 1000) return `${shortNumber(meters / 1000)} km`;
  return meters >= 1 ? `${shortNumber(meters)} m` : `${shortNumber(meters * 100)} cm`;
}

function shortNumber(value: number): string {
  return significantText(value, 3);
}

/**
 * Formats a position of the plane as latitude and longitude, or as x and y. The number of digits depends on the pixel
 * size.
 */
export function positionText(viewport: Viewport, plane: Plane, x: number, y: number): string {
  if (plane === 'plain') {
    const digits = digitsOf(1 / viewport.scale);
    return `x ${x.toFixed(digits)}, y ${(-y).toFixed(digits)}`;
  }
  const digits = digitsOf(360 / viewport.scale);
  const longitude = longitudeOf(x);
  const latitude = latitudeOf(y);
  const text = (value: number, positive: string, negative: string) =>
    `${Math.abs(value).toFixed(digits)}° ${value >= 0 ? positive : negative}`;
  return `${text(latitude, 'N', 'S')}, ${text(longitude, 'E', 'W')}`;
}

function digitsOf(size: number): number {
  return Math.min(Math.max(Math.ceil(-Math.log10(size)), 0), 7);
}

/** A line of equal longitude or latitude, at a position of the plane, with its label. */
export interface GraticuleLine {
  axis: 'x' | 'y';
  at: number;
  label: string;
}

const steps = [45, 30, 20, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const linesWanted = 4;
const linesMax = 24;

/** Returns lines of longitude and latitude at round degrees that are visible. A plane of unknown position has none. */
export function graticuleOf(viewport: Viewport, plane: Plane): GraticuleLine[] {
  if (plane === 'plain') return [];
  const [left, top, right, bottom] = extentOf(viewport);
  const [west, east] = [Math.max(longitudeOf(left), -180), Math.min(longitudeOf(right), 180)];
  const [south, north] = [latitudeOf(Math.min(bottom, 1)), latitudeOf(Math.max(top, 0))];
  const span = Math.max(east - west, north - south);
  const step = steps.find((each) => span / each >= linesWanted);
  if (step === undefined) return [];
  const lines = (from: number, to: number) => {
    const found: number[] = [];
    for (let index = Math.ceil(from / step); index * step <= to && found.length < linesMax; index += 1)
      found.push(index * step);
    return found;
  };
  return [
    ...lines(west, east).map((at) => ({ axis: 'x' as const, at: mercatorX(at), label: degrees(at, step, 'E', 'W') })),
    ...lines(south, north).map((at) => ({ axis: 'y' as const, at: mercatorY(at), label: degrees(at, step, 'N', 'S') })),
  ];
}

function degrees(value: number, step: number, positive: string, negative: string): string {
  const digits = step >= 1 ? 0 : Math.ceil(-Math.log10(step));
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0 || Number(text) === 180) return `${Number(text)}°`;
  return `${text}° ${value > 0 ? positive : negative}`;
}
