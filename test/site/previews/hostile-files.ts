import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tiffWith } from './geotiff-files.ts';
import { parquetOf, withFooter } from './parquet-files.ts';
import { arrayOf, groupOf } from './zarr-stores.ts';

const world = readFileSync('lib/local/world-borders/countries.pmtiles');
const ran = "fetch('/ran');document.title='ran';";
/** A text that runs a script if a page renders it as HTML. */
export const hostileText = `<img src=x onerror="${ran.replaceAll('/', '&#47;')}">`;

interface HostileFile {
  bytes: Uint8Array;
  /** The text that users must see on the page. */
  shows: string;
}

const text = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const feature = (properties: unknown, coordinates: unknown = [1, 2]) => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates },
});
const damaged = 'The file is damaged, so there is no preview.';
const outside = 'The file is incomplete: it refers to data beyond its end.';

/** Files of an attacker that try to run a script, to freeze a tab, or to deceive the user. */
export const hostileFiles: Readonly<Record<string, HostileFile>> = {
  'bad/names.parquet': {
    bytes: parquetOf([{ name: hostileText, data: [hostileText, `<script>${ran}</script>`] }]),
    shows: hostileText,
  },
  'bad/rows.parquet': {
    bytes: withFooter(parquetOf([{ name: 'a', data: [1, 2, 3] }]), (metadata) => {
      metadata.num_rows = 10n ** 12n;
      for (const group of metadata.row_groups) group.num_rows = 10n ** 12n;
    }),
    shows: 'another number of rows than it contains',
  },
  'bad/writer.parquet': {
    bytes: withFooter(parquetOf([{ name: 'a', data: [1] }]), (metadata) => {
      metadata.created_by = hostileText;
    }),
    shows: hostileText,
  },
  'bad/far.parquet': {
    bytes: withFooter(parquetOf([{ name: 'a', data: [1] }]), (metadata) => {
      for (const { meta_data } of metadata.row_groups.flatMap(({ columns }) => columns)) {
        if (meta_data !== undefined) meta_data.data_page_offset = 2n ** 52n;
      }
    }),
    shows: outside,
  },
  'bad/page.parquet': { bytes: text(`<script>${ran}</script>`.repeat(4)), shows: 'This is not a Parquet file.' },
  [`bad/${hostileText}.geojson`]: {
    bytes: text({ type: 'FeatureCollection', features: [feature({ [hostileText]: hostileText, __proto__: 1 })] }),
    shows: hostileText,
  },
  'bad/numbers.geojson': {
    bytes: text(JSON.stringify(feature({ name: 'far' }, [1e300, 2])).replace('1e+300', '1e999')),
    shows: 'One point without two finite coordinates',
  },
  'bad/deep.geojson': { bytes: text(`{"features":[${'['.repeat(100_000)}`), shows: damaged },
  'bad/a.pmtiles': {
    bytes: Uint8Array.from(world).with(99, 77),
    shows: 'The preview does not support the tile type of this archive.',
  },
  'bad/metadata.pmtiles': {
    bytes: archiveWith({ name: hostileText, attribution: hostileText }),
    shows: 'Tiles of zoom 0.',
  },
  'bad/wide.tif': { bytes: tiffWith({ width: 2 ** 31, height: 2 ** 31 }), shows: damaged },
  'bad/names.zarr/zarr.json': {
    bytes: text(
      groupOf({ [hostileText]: arrayOf([2, 2, 2], [2, 2, 2], { dimension_names: [hostileText, hostileText, 'x'] }) }),
    ),
    shows: hostileText,
  },
  'bad/outside.zarr/zarr.json': {
    bytes: text(groupOf({ '../../../tide-institute/raw-drafts': arrayOf([2, 2], [2, 2]) })),
    shows: 'The file refers to data outside its folder.',
  },
  'bad/huge.zarr/.zarray': {
    bytes: text({ zarr_format: 2, shape: [1e15, 1e15], chunks: [1e9, 1e9], dtype: '<f8' }),
    shows: 'too large for a preview',
  },
  'bad/page.tif': { bytes: text(`<svg onload="${ran}"/>`), shows: 'This is not a TIFF file.' },
};

/** Builds an archive of one tile with one layer, whose name is the hostile text, and with the given metadata. */
function archiveWith(metadata: unknown): Uint8Array {
  const told = gzipSync(JSON.stringify(metadata));
  const name = text(hostileText);
  const layer = Buffer.concat([Buffer.from([0x78, 2, 0x0a, name.length]), name, Buffer.from([0x28, 0x80, 0x20])]);
  const tile = Buffer.concat([Buffer.from([0x1a, layer.length]), layer]);
  const header = Buffer.from(world.subarray(0, 127));
  const index = gzipSync(Buffer.from([1, 0, 1, tile.length, 1]));
  const places = [
    127,
    index.length,
    127 + index.length,
    told.length,
    0,
    0,
    127 + index.length + told.length,
    tile.length,
  ];
  for (const [at, place] of places.entries()) header.writeBigUInt64LE(BigInt(place), 8 + at * 8);
  header[97] = 2;
  return Buffer.concat([header, index, told, tile]);
}
