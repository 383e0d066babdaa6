import { Compression, type Header, PMTiles, SharedPromiseCache, type Source, TileType } from 'pmtiles';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import type { Table } from '../../../lib/pages/site/tables.tsx';
import type { DrawnMap, MapLayer, MapTile, Preview } from '../preview.ts';
import { gunzip } from '../reading/decompress.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { imageSize } from './image-size.ts';
import { boundsLabel, boundsText, type DegreeBounds, graticuleOf, ShapeCollector } from './map.ts';
import { clamp, latitudeMax, mercatorX, mercatorY, type TileAddress, tilesOver } from './pmtiles/mercator.ts';
import { partsOf, readTileLayers } from './pmtiles/vector-tile.ts';

const decompressedBytesMax = 8 * 1024 * 1024;
const metadataBytesMax = 256 * 1024;
const pointsMax = 200_000;
const tileSideMax = 1024;
const tilesMax = { vector: 4, image: 12 };
const layersShown = 50;
/** The maximum number of cached tile directories. It is enough for all directories on the way to each shown tile. */
const directoriesMax = 50;
const imageTypes: Partial<Record<TileType, string>> = {
  [TileType.Png]: 'image/png',
  [TileType.Jpeg]: 'image/jpeg',
  [TileType.Webp]: 'image/webp',
  [TileType.Avif]: 'image/avif',
};

/**
 * Shows an overview of a tile archive. Draws a few tiles of the deepest zoom level at which a few tiles cover the whole
 * archive.
 */
export async function readPmtiles(file: BoundedRanges): Promise<Preview> {
  const archive = new PMTiles(sourceOf(file), new SharedPromiseCache(directoriesMax, true, decompress), decompress);
  const header = await archive.getHeader();
  const bounds = boundsOf(header);
  const imageType = imageTypes[header.tileType];
  if (imageType === undefined && header.tileType !== TileType.Mvt) throw new PreviewRefusal('tiles');
  const zooms = { min: clamp(header.minZoom, 0, 24), max: clamp(header.maxZoom, header.minZoom, 24) };
  const tileAddresses = tilesOver(bounds, zooms, imageType === undefined ? tilesMax.vector : tilesMax.image);
  const tiles = await Promise.all(
    tileAddresses.map(async (tile) => ({ tile, bytes: (await archive.getZxy(tile.z, tile.x, tile.y))?.data })),
  );
  const found = tiles.flatMap(({ tile, bytes }) =>
    bytes === undefined ? [] : [{ tile, bytes: new Uint8Array(bytes) }],
  );
  if (found.length === 0) throw new PreviewRefusal('empty');
  const frame = frameOf(tileAddresses, bounds);
  const drawn =
    imageType === undefined ? drawVectors(found, frame) : { tiles: await drawImages(found, frame, imageType) };
  const zoom = tileAddresses[0]?.z ?? 0;
  const map: DrawnMap = {
    extent: [0, 0, frame.width, frame.height],
    layers: [],
    ...drawn,
    graticule: graticuleOf(
      frame.bounds,
      (longitude) => mercatorX(longitude) - frame.left,
      (latitude) => mercatorY(latitude) - frame.top,
    ),
    description: `Map of the tiles at zoom ${zoom}. ${boundsLabel}: ${boundsText(Object.values(bounds))}.`,
  };
  const range = zooms.min === zooms.max ? '' : `; the archive has zooms ${zooms.min} to ${zooms.max}`;
  return {
    map,
    ...('table' in drawn && { table: drawn.table }),
    properties: await propertiesOf(archive, header, bounds),
    notes: [
      `Tiles of zoom ${zoom}${range}.`,
      ...('isFull' in drawn && drawn.isFull ? ['The map shows only some of the points.'] : []),
      readNote(file),
    ],
  };
}

function sourceOf(file: BoundedRanges): Source {
  return {
    getKey: () => '',
    async getBytes(offset, length) {
      // The library's first request asks for more bytes than a small archive has, so shorten it.
      const end = offset === 0 ? Math.min(length, file.fileBytes) : offset + length;
      const bytes = await file.read(offset, end);
      if (offset === 0 && new TextDecoder().decode(bytes.subarray(0, 7)) !== 'PMTiles') {
        throw new PreviewRefusal('not-of-this-format', 'PMTiles');
      }
      return { data: bytes.slice().buffer };
    },
  };
}

async function decompress(bytes: ArrayBuffer, compression: Compression): Promise<ArrayBuffer> {
  if (compression === Compression.None || compression === Compression.Unknown) return bytes;
  if (compression === Compression.Gzip) return gunzip(new Uint8Array(bytes), decompressedBytesMax).slice().buffer;
  throw new PreviewRefusal('compression', compression === Compression.Brotli ? 'Brotli' : 'Zstandard');
}

/** Returns the bounds in the header, or the whole world if the header has none. */
function boundsOf({ minLon, minLat, maxLon, maxLat }: Header): DegreeBounds {
  const [west, east] = [clamp(minLon, -180, 180), clamp(maxLon, -180, 180)];
  const [south, north] = [clamp(minLat, -latitudeMax, latitudeMax), clamp(maxLat, -latitudeMax, latitudeMax)];
  if (west < east && south < north) return { west, south, east, north };
  return { west: -180, south: -latitudeMax, east: 180, north: latitudeMax };
}

interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  bounds: DegreeBounds;
}

/**
 * Returns the visible part of the bounds. Its coordinates are relative to its own corner. Otherwise 32-bit floats would
 * be too coarse for locations that are close together.
 */
function frameOf(tileAddresses: readonly TileAddress[], { west, south, east, north }: DegreeBounds): Frame {
  const count = 2 ** (tileAddresses[0]?.z ?? 0);
  const xs = tileAddresses.map(({ x }) => x);
  const ys = tileAddresses.map(({ y }) => y);
  const left = Math.max(Math.min(...xs) / count, mercatorX(west));
  const right = Math.min((Math.max(...xs) + 1) / count, mercatorX(east));
  const top = Math.max(Math.min(...ys) / count, mercatorY(north));
  const bottom = Math.min((Math.max(...ys) + 1) / count, mercatorY(south));
  const longitude = (x: number) => (x - 0.5) * 360;
  const latitude = (y: number) => (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI;
  return {
    left,
    top,
    width: right - left,
    height: bottom - top,
    bounds: { west: longitude(left), east: longitude(right), south: latitude(bottom), north: latitude(top) },
  };
}

interface FoundTile {
  tile: TileAddress;
  bytes: Uint8Array;
}

function drawVectors(tiles: readonly FoundTile[], frame: Frame) {
  const layers: MapLayer[] = [];
  const layersByName = new Map<string, { features: number; fields: Set<string>; kinds: Set<string> }>();
  let pointsLeft = pointsMax;
  for (const { tile, bytes } of tiles) {
    const side = 1 / 2 ** tile.z;
    const [left, top] = [tile.x * side - frame.left, tile.y * side - frame.top];
    for (const layer of readTileLayers(bytes)) {
      const shapes = new ShapeCollector(pointsLeft);
      const known = layersByName.get(layer.name) ?? { features: 0, fields: new Set(), kinds: new Set() };
      layersByName.set(layer.name, known);
      for (const field of layer.fields.slice(0, 40)) known.fields.add(field);
      for (const feature of layer.features) {
        if (shapes.isFull) break;
        known.features += 1;
        known.kinds.add(feature.kind);
        for (const [index, { points, isOuter }] of [...partsOf(bytes, feature)].entries()) {
          if (feature.kind === 'area' && (isOuter || index === 0)) shapes.beginArea();
          shapes.add(feature.kind, points);
        }
      }
      pointsLeft -= shapes.points;
      const unit = side / layer.extent;
      const drawn = shapes.layers(layer.name, (x, y) => [left + x * unit, top + y * unit]);
      // Cut off what is outside this tile. The neighboring tile draws the rest of shapes that cross the edge.
      layers.push(...drawn.map((each): MapLayer => ({ ...each, clip: [left, top, side] })));
    }
  }
  const table: Table = {
    columns: [{ name: 'Layer' }, { name: 'Shapes' }, { name: 'Features in view', isNumber: true }, { name: 'Fields' }],
    rows: [...layersByName]
      .slice(0, layersShown)
      .map(([name, { features, fields, kinds }]) => [
        cutText(name, 80),
        [...kinds].map((kind) => `${kind}s`).join(', '),
        String(features),
        cutText([...fields].join(', '), 200),
      ]),
  };
  return { layers, table, isFull: pointsLeft <= 0 };
}

async function drawImages(tiles: readonly FoundTile[], frame: Frame, type: string): Promise<MapTile[]> {
  return Promise.all(
    tiles.map(async ({ tile, bytes }) => {
      const { width, height } = imageSize(bytes) ?? { width: 0, height: 0 };
      if (!(width > 0 && width <= tileSideMax && height > 0 && height <= tileSideMax))
        throw new PreviewRefusal('damaged');
      const image = await createImageBitmap(new Blob([bytes.slice()], { type }));
      const size = 1 / 2 ** tile.z;
      return { x: tile.x * size - frame.left, y: tile.y * size - frame.top, size, image };
    }),
  );
}

async function propertiesOf(archive: PMTiles, header: Header, bounds: DegreeBounds): Promise<[string, string][]> {
  const isSmall = header.jsonMetadataLength > 0 && header.jsonMetadataLength <= metadataBytesMax;
  const metadata: unknown = isSmall ? await archive.getMetadata().catch(() => undefined) : undefined;
  const names = ['name', 'description', 'attribution'].flatMap((key): [string, string][] => {
    const value = (metadata as Record<string, unknown> | undefined)?.[key];
    if (typeof value !== 'string' || value === '') return [];
    // The attribution in the file is HTML. Remove its tags, because the preview shows it as text.
    return [[key.charAt(0).toUpperCase() + key.slice(1), cutText(value.replace(/<[^>]{0,400}>/g, ''), 300)]];
  });
  return [
    ...names,
    [boundsLabel, boundsText(Object.values(bounds))],
    ['Zooms', `${header.minZoom} – ${header.maxZoom}`],
    ['Tiles', formatCount(header.numAddressedTiles)],
  ];
}
