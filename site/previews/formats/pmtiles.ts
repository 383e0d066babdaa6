import { Compression, type Header, PMTiles, SharedPromiseCache, type Source, TileType } from 'pmtiles';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import type { Table } from '../../../lib/pages/site/tables.tsx';
import type { DrawnMap, Extent, FeatureColumn, MapLayer, MapPicture, PartRequest, Preview } from '../preview.ts';
import { gunzip } from '../reading/decompress.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';
import { checkSignature } from '../reading/signature.ts';
import { imageSize } from './image-size.ts';
import { boundsLabel, boundsText, columnsOf, ShapeCollector } from './map.ts';
import {
  clamp,
  type DegreeBounds,
  latitudeMax,
  latitudeOf,
  longitudeOf,
  mercatorX,
  mercatorY,
  type TileAddress,
  tilesOver,
} from './mercator.ts';
import { partsOf, propertiesOfFeature, readTileLayers } from './pmtiles/vector-tile.ts';

const decompressedBytesMax = 8 * 1024 * 1024;
/** The ratio of memory to bytes of a tile directory, which is decoded into a list of objects. */
const directoryBytesMax = 1024 * 1024;
const metadataBytesMax = 256 * 1024;
const pointsMax = 200_000;
const featuresMax = 50_000;
const propertyBytesMax = 32_000_000;
/** The maximum length of a metadata text from which HTML tags are removed. */
const markupLengthMax = 2000;
/** The maximum zoom level whose tile IDs are decoded. No map needs a higher one. */
const zoomMax = 24;
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
 * Shows an overview of a tile archive, or the part in the user's viewport. Draws a few tiles, from the deepest zoom
 * level at which a few tiles cover the part.
 */
export async function readPmtiles(file: BoundedRanges, { look }: PartRequest = {}): Promise<Preview> {
  const directories = new SharedPromiseCache(directoriesMax, true, decompressor(file, directoryBytesMax));
  const archive = new PMTiles(sourceOf(file), directories, decompressor(file, decompressedBytesMax));
  const header = await archive.getHeader();
  const bounds = boundsOf(header);
  const imageType = imageTypes[header.tileType];
  if (imageType === undefined && header.tileType !== TileType.Mvt) throw new PreviewRefusal('tiles');
  const zooms = zoomsOf(header);
  const shown = look === undefined ? bounds : commonBounds(bounds, look.extent);
  const tileAddresses = tilesOver(shown, zooms, imageType === undefined ? tilesMax.vector : tilesMax.image);
  const tiles = await Promise.all(
    tileAddresses.map(async (tile) => ({ tile, bytes: (await archive.getZxy(tile.z, tile.x, tile.y))?.data })),
  );
  const found = tiles.flatMap(({ tile, bytes }) =>
    bytes === undefined ? [] : [{ tile, bytes: new Uint8Array(bytes) }],
  );
  if (found.length === 0 && look === undefined) throw new PreviewRefusal('empty');
  const drawn = imageType === undefined ? drawVectors(found) : { pictures: await drawImages(found, imageType) };
  const zoom = tileAddresses[0]?.z ?? 0;
  const range = zooms.min === zooms.max ? '' : `; the archive has zooms ${zooms.min} to ${zooms.max}`;
  const { table, isFull, ...content } = { table: undefined, isFull: false, ...drawn };
  const map: DrawnMap = {
    plane: 'mercator',
    extent: [mercatorX(bounds.west), mercatorY(bounds.north), mercatorX(bounds.east), mercatorY(bounds.south)],
    layers: [],
    ...content,
    reads: 'next',
    notes: [`Tiles of zoom ${zoom}${range}.`, ...(isFull ? ['The map shows only some of the points.'] : [])],
    description: `Map of the tiles. ${boundsLabel}: ${boundsText(Object.values(bounds))}.`,
  };
  return {
    map,
    ...(table && { table }),
    properties: look === undefined ? await propertiesOf(archive, header, bounds) : [],
    notes: [readNote(file)],
  };
}

/** Returns the visible part of the bounds, or all bounds if no part is visible. */
function commonBounds(bounds: DegreeBounds, [left, top, right, bottom]: Readonly<Extent>): DegreeBounds {
  const west = Math.max(bounds.west, longitudeOf(left));
  const south = Math.max(bounds.south, latitudeOf(bottom));
  const east = Math.min(bounds.east, longitudeOf(right));
  const north = Math.min(bounds.north, latitudeOf(top));
  return west < east && south < north ? { west, south, east, north } : bounds;
}

function sourceOf(file: BoundedRanges): Source {
  return {
    getKey: () => '',
    async getBytes(offset, length) {
      // The library's first request asks for more bytes than a small archive has, so shorten it.
      const end = offset === 0 ? Math.min(length, file.fileBytes) : offset + length;
      const bytes = await file.read(offset, end);
      if (offset === 0) checkSignature('pmtiles', bytes);
      return { data: bytes.slice().buffer };
    },
  };
}

/** Returns a function that decompresses the tiles and directories of an archive. */
function decompressor(file: BoundedRanges, bytesMax: number) {
  return async (bytes: ArrayBuffer, compression: Compression): Promise<ArrayBuffer> => {
    if (compression === Compression.None || compression === Compression.Unknown) return bytes;
    if (compression === Compression.Gzip) {
      const found = gunzip(new Uint8Array(bytes), bytesMax);
      file.reserve(3 * found.byteLength);
      return found.slice().buffer;
    }
    throw new PreviewRefusal('compression', compression === Compression.Brotli ? 'Brotli' : 'Zstandard');
  };
}

/** Returns the bounds in the header, or the whole world if the header has none. */
function boundsOf({ minLon, minLat, maxLon, maxLat }: Header): DegreeBounds {
  const [west, east] = [clamp(minLon, -180, 180), clamp(maxLon, -180, 180)];
  const [south, north] = [clamp(minLat, -latitudeMax, latitudeMax), clamp(maxLat, -latitudeMax, latitudeMax)];
  if (west < east && south < north) return { west, south, east, north };
  return { west: -180, south: -latitudeMax, east: 180, north: latitudeMax };
}

interface FoundTile {
  tile: TileAddress;
  bytes: Uint8Array;
}

function drawVectors(tiles: readonly FoundTile[]) {
  const layers: MapLayer[] = [];
  const layersByName = new Map<string, { features: number; fields: Set<string>; kinds: Set<string> }>();
  const rows: Record<string, unknown>[] = [];
  let pointsLeft = pointsMax;
  let propertyBytes = 0;
  let isFull = false;
  for (const { tile, bytes } of tiles) {
    const side = 1 / 2 ** tile.z;
    const [left, top] = [tile.x * side, tile.y * side];
    for (const layer of readTileLayers(bytes)) {
      const shapes = new ShapeCollector(pointsLeft);
      const known = layersByName.get(layer.name) ?? { features: 0, fields: new Set(), kinds: new Set() };
      layersByName.set(layer.name, known);
      for (const field of layer.fields.slice(0, 40)) known.fields.add(field);
      for (const feature of layer.features) {
        if (shapes.isFull || rows.length >= featuresMax || propertyBytes > propertyBytesMax) {
          isFull = true;
          break;
        }
        known.features += 1;
        known.kinds.add(feature.kind);
        shapes.beginFeature(rows.length);
        const properties = propertiesOfFeature(bytes, layer, feature);
        rows.push({ Layer: layer.name, ...properties });
        propertyBytes += bytesOfRow(properties);
        let isFirst = true;
        for (const { points, isOuter } of partsOf(bytes, feature, shapes.room)) {
          if (shapes.isFull) break;
          if (feature.kind === 'area' && (isOuter || isFirst)) shapes.beginArea();
          shapes.add(feature.kind, points);
          isFirst = false;
        }
      }
      pointsLeft -= shapes.points;
      const unit = side / layer.extent;
      const drawn = shapes.layers(layer.name, (x, y) => [left + x * unit, top + y * unit]);
      // Cut off the parts of a shape outside this tile, because the neighboring tile draws them.
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
  const columns: FeatureColumn[] = columnsOf(rows);
  return { layers, columns, table, isFull };
}

/**
 * Returns the approximate memory of a feature's properties. Equal texts count each time, because a message to the page
 * copies them.
 */
function bytesOfRow(properties: Record<string, unknown>): number {
  const values = Object.values(properties);
  return values.reduce<number>((bytes, value) => bytes + 64 + (typeof value === 'string' ? 2 * value.length : 0), 64);
}

async function drawImages(tiles: readonly FoundTile[], type: string): Promise<MapPicture[]> {
  return Promise.all(
    tiles.map(async ({ tile, bytes }) => {
      const { width, height } = imageSize(bytes) ?? { width: 0, height: 0 };
      if (!(width > 0 && width <= tileSideMax && height > 0 && height <= tileSideMax))
        throw new PreviewRefusal('damaged');
      const image = await createImageBitmap(new Blob([bytes.slice()], { type }));
      const size = 1 / 2 ** tile.z;
      return { extent: [tile.x * size, tile.y * size, (tile.x + 1) * size, (tile.y + 1) * size], image };
    }),
  );
}

async function propertiesOf(archive: PMTiles, header: Header, bounds: DegreeBounds): Promise<[string, string][]> {
  const isSmall = header.jsonMetadataLength > 0 && header.jsonMetadataLength <= metadataBytesMax;
  const metadata: unknown = isSmall ? await archive.getMetadata().catch(() => undefined) : undefined;
  const zooms = zoomsOf(header);
  const names = ['name', 'description', 'attribution'].flatMap((key): [string, string][] => {
    const value = (metadata as Record<string, unknown> | undefined)?.[key];
    if (typeof value !== 'string' || value === '') return [];
    // The archive's attribution is HTML. Remove its tags, because the preview shows plain text.
    return [
      [
        key.charAt(0).toUpperCase() + key.slice(1),
        cutText(value.slice(0, markupLengthMax).replace(/<[^>]{0,400}>/g, ''), 300),
      ],
    ];
  });
  return [
    ...names,
    [boundsLabel, boundsText(Object.values(bounds))],
    ['Zooms', `${zooms.min} – ${zooms.max}`],
    // An archive cannot have more tiles than its zoom levels, so a larger count is false.
    ...(header.numAddressedTiles <= tilesUpTo(zooms.max)
      ? [['Tiles', formatCount(header.numAddressedTiles)] as [string, string]]
      : []),
  ];
}

function zoomsOf({ minZoom, maxZoom }: Header): { min: number; max: number } {
  const min = clamp(minZoom, 0, zoomMax);
  return { min, max: clamp(maxZoom, min, zoomMax) };
}

/** Returns the number of tiles in all zoom levels up to the given one. */
function tilesUpTo(zoom: number): number {
  return (4 ** (zoom + 1) - 1) / 3;
}
