import { significantText } from '../../../../lib/pages/site/previews/cell-text.ts';
import type { DrawnMap, Extent } from '../../preview.ts';
import { boundsLabel, boundsText } from '../map.ts';
import { latitudeOf, longitudeOf, mercatorX, mercatorY } from '../mercator.ts';
import { projectionOf } from '../projection.ts';
import type { TiffDirectory } from './directory.ts';
import { utmOf } from './utm.ts';

/** The position of an image on the map. */
export interface Placement {
  plane: DrawnMap['plane'];
  /** The smallest rectangle of the map's plane that contains the image. */
  extent: Extent;
  /** True if the rows and columns of the image are straight and evenly spaced on the map's plane. */
  isLinear: boolean;
  /** Returns the position in the image for a position of the map's plane. The image is a square from 0 to 1. */
  toImage(x: number, y: number): readonly [u: number, v: number];
  properties: [name: string, value: string][];
}

const geoKey = { geographic: 2048, projected: 3072 };
/** The EPSG code for a coordinate system that the file itself defines. */
const ownDefinition = 32_767;

/**
 * Returns the position of an image on the map. An image without a known coordinate system gets a plane of its own, in
 * pixels or the file's units.
 */
export async function placementOf(
  directory: TiffDirectory,
  { width, height }: { width: number; height: number },
): Promise<Placement> {
  const [[scaleX = 0, scaleY = 0], tiePoint, keys] = await Promise.all([
    directory.numbers('pixelScale', 3),
    directory.numbers('tiePoint', 6),
    directory.numbers('geoKeys', 400),
  ]);
  const [projected, geographic] = [codeOf(keys, geoKey.projected), codeOf(keys, geoKey.geographic)];
  const code = projected ?? geographic;
  const properties: [string, string][] = code === undefined ? [] : [['Coordinates', `EPSG:${code}`]];
  const [pixelX = 0, pixelY = 0, , x = 0, y = 0] = tiePoint;
  const west = x - pixelX * scaleX;
  const north = y + pixelY * scaleY;
  const [east, south] = [west + width * scaleX, north - height * scaleY];
  const isPlaced =
    west < east && south < north && tiePoint.length === 6 && [west, north, east, south].every(Number.isFinite);
  if (!isPlaced) return { ...plainPlacement([0, 0, width, height]), properties };
  const short = (value: number) => significantText(value, 6);
  properties.push(['Size of a pixel', `${short(scaleX)} × ${short(scaleY)}`]);
  properties.push([boundsLabel, boundsText([west, south, east, north])]);
  const own: Extent = [west, south, east, north];
  const placed =
    projected === undefined ? geographic !== undefined && geographicPlacement(own) : projectedPlacement(projected, own);
  return { ...(placed || plainPlacement([west, -north, east, -south])), properties };
}

type Place = Omit<Placement, 'properties'>;

function plainPlacement(extent: Extent): Place {
  const [left, top, right, bottom] = extent;
  const toImage = (x: number, y: number) => [(x - left) / (right - left), (y - top) / (bottom - top)] as const;
  return { plane: 'plain', extent, isLinear: true, toImage };
}

/** Some files have longitudes from 0 to 360 instead of -180 to 180. */
function geographicPlacement([west, south, east, north]: Readonly<Extent>): Place | undefined {
  const rim = 1;
  if (west < -180 - rim || east > 360 + rim || east - west > 360 + rim || south < -90 - rim || north > 90 + rim)
    return undefined;
  const isTurned = east > 180 + rim;
  return {
    plane: 'mercator',
    extent: [
      isTurned ? 0 : Math.max(0, mercatorX(west)),
      mercatorY(north),
      isTurned ? 1 : Math.min(1, mercatorX(east)),
      mercatorY(south),
    ],
    isLinear: false,
    toImage(x, y) {
      const longitude = longitudeOf(x);
      const turned = isTurned && longitude < west ? longitude + 360 : longitude;
      return [(turned - west) / (east - west), (north - latitudeOf(y)) / (north - south)];
    },
  };
}

function projectedPlacement(code: number, [west, south, east, north]: Readonly<Extent>): Place | undefined {
  const projection = projectionOf(code);
  const extent = projection?.extentOf([west, south, east, north]);
  if (extent === undefined) return undefined;
  const utm = utmOf(code);
  if (utm === undefined) return { ...plainPlacement(extent), plane: 'mercator' };
  if (!extent.every((value) => value >= 0 && value <= 1)) return undefined;
  return {
    plane: 'mercator',
    extent,
    isLinear: false,
    toImage(x, y) {
      const [easting, northing] = utm.fromDegrees(longitudeOf(x), latitudeOf(y));
      return [(easting - west) / (east - west), (north - northing) / (north - south)];
    },
  };
}

/**
 * Finds the code of a coordinate system in a GeoKey directory. Each entry of the directory is an ID with the position
 * of its value.
 */
function codeOf(keys: readonly number[], wanted: number): number | undefined {
  for (let at = 4; at + 3 < keys.length; at += 4) {
    const value = keys[at + 3] ?? 0;
    if (keys[at] === wanted && keys[at + 1] === 0 && value > 0 && value < ownDefinition) return value;
  }
  return undefined;
}
