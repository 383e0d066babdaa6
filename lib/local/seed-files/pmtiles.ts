import { type Country, flatRings, type Point } from './borders.ts';

const extent = 4096;

/** Returns a PMTiles archive (version 3) with one vector tile of the whole world in the layer `countries`. */
export function countriesPmtiles(countries: readonly Country[]): Uint8Array {
  const tile = message(3, layer(countries));
  const metadata = Buffer.from(
    JSON.stringify({ name: 'World borders', vector_layers: [{ id: 'countries', fields: { name: 'String' } }] }),
  );
  // One entry: tile 0, run length 1, its length, and its offset plus one.
  const directory = Buffer.from([1, 0, 1, ...varint(tile.length), 1]);
  const directoryAt = 127;
  const metadataAt = directoryAt + directory.length;
  const tileAt = metadataAt + metadata.length;
  const header = Buffer.alloc(directoryAt);
  header.write('PMTiles');
  header[7] = 3;
  const places = [directoryAt, directory.length, metadataAt, metadata.length, 0, 0, tileAt, tile.length, 1, 1, 1];
  for (const [index, place] of places.entries()) header.writeBigUInt64LE(BigInt(place), 8 + index * 8);
  // Clustered; directories and tiles without compression; vector tiles; zoom 0 alone.
  header.set([1, 1, 1, 1, 0, 0], 96);
  const [west, south, east, north] = [-180, -85, 180, 85].map((degrees) => degrees * 1e7);
  for (const [index, bound] of [west, south, east, north].entries()) header.writeInt32LE(bound ?? 0, 102 + index * 4);
  return new Uint8Array(Buffer.concat([header, directory, metadata, tile]));
}

/** Returns a layer of a Mapbox Vector Tile (version 2.1). Each country is a feature with its name. */
function layer(countries: readonly Country[]): Buffer {
  const name = Buffer.from('countries');
  const features = countries.map((country, index) => {
    const geometry = Buffer.from(polygonCommands(flatRings(country)).flatMap(varint));
    const type = Buffer.from([3 << 3, 3]);
    return message(2, Buffer.concat([message(2, Buffer.from([0, ...varint(index)])), type, message(4, geometry)]));
  });
  const values = countries.map((country) => message(4, message(1, Buffer.from(country.name))));
  const size = Buffer.from([5 << 3, ...varint(extent)]);
  const version = Buffer.from([15 << 3, 2]);
  return Buffer.concat([version, message(1, name), ...features, message(3, Buffer.from('name')), ...values, size]);
}

/** Returns move-to, line-to and close-path commands. Each point is relative to the one before. */
function polygonCommands(rings: readonly Point[][]): number[] {
  let [atX, atY] = [0, 0];
  return rings.flatMap((ring) => {
    const points = ring.slice(0, -1).map(inTile);
    const steps = points.map(([x, y]) => {
      const step = [zigzag(x - atX), zigzag(y - atY)];
      [atX, atY] = [x, y];
      return step;
    });
    const [first = [], ...rest] = steps;
    return [(1 << 3) | 1, ...first, (rest.length << 3) | 2, ...rest.flat(), (1 << 3) | 7];
  });
}

/** Projects to Web Mercator, which ends at about 85 degrees. */
function inTile([longitude, latitude]: Point): [number, number] {
  const sine = Math.sin((Math.max(-85.0511, Math.min(85.0511, latitude)) * Math.PI) / 180);
  const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  return [Math.round((longitude / 360 + 0.5) * extent), Math.round(y * extent)];
}

function message(field: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(content.length)]), content]);
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
