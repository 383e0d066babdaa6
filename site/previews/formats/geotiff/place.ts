import { previewTexts } from '../../../../lib/pages/site/previews/sentences.ts';
import { boundsText } from '../map/geographic.ts';
import type { TiffDirectory } from './directory.ts';

const tag = { pixelScale: 33550, tiePoint: 33922, geoKeys: 34735 };
const geoKey = { geographic: 2048, projected: 3072 };
const ownDefinition = 32_767;

/** Describes the location of the image on Earth, from its header. */
export async function describePlace(
  directory: TiffDirectory,
  { width, height }: { width: number; height: number },
): Promise<[string, string][]> {
  const { facts: labels } = previewTexts;
  const [scale, tie, keys] = await Promise.all([
    directory.numbers(tag.pixelScale, 3),
    directory.numbers(tag.tiePoint, 6),
    directory.numbers(tag.geoKeys, 400),
  ]);
  const found: [string, string][] = [];
  const code = codeOf(keys);
  if (code !== undefined) found.push([labels.coordinates, `EPSG:${code}`]);
  const [scaleX = 0, scaleY = 0] = scale;
  const [pixelX = 0, pixelY = 0, , x = 0, y = 0] = tie;
  if (scaleX > 0 && scaleY > 0 && tie.length === 6) {
    const [west, north] = [x - pixelX * scaleX, y + pixelY * scaleY];
    found.push([labels.pixelSize, `${short(scaleX)} × ${short(scaleY)}`]);
    found.push([labels.bounds, boundsText([west, north - height * scaleY, west + width * scaleX, north])]);
  }
  return found;
}

/**
 * Finds the code of the coordinate system in a GeoKey directory. Each entry has the location of its value and the
 * value.
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

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
