import { readFileSync } from 'node:fs';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ColumnMetaData, FileMetaData } from 'hyparquet';
import type { ScriptedFormat } from '../../../../lib/pages/site/previews/scripted.ts';
import { seededBytes } from '../../../service/seeded-random.ts';
import type { SparseFile } from '../../../service/sparse-object.ts';
import { geoParquetOf, largeGeoParquet } from '../geoparquet-files.ts';
import { type Fields, largeTiff, tiffWith } from '../geotiff-files.ts';
import {
  largeParquet,
  parquetOf,
  parquetOfPages,
  parquetOfSchema,
  type SchemaPart,
  withFooter,
  withRawFooter,
  withStatistics,
} from '../parquet-files.ts';
import { directoryOf, featureOf, field, largePmtiles, layerOf, pmtilesOf, varint } from '../pmtiles-files.ts';
import { arrayOf, groupOf, jsonBytes, largeCube } from '../zarr-stores.ts';
import type { HostileSource } from './reading-thread.ts';

/** The attacks that each format must withstand, besides damage that needs no knowledge of the format. */
export type Attack = 'counts' | 'bombs' | 'nesting' | 'loops' | 'notNumbers' | 'longTexts';

type Files = Readonly<Record<string, () => HostileSource | Uint8Array>>;

/** A large file or store. A store has other files at `otherPaths` below its folder, which all have the same content. */
export type LargeFile = HostileSource & { otherPaths?: readonly string[] };

export interface FormatFiles {
  /** A valid file, which has a preview. */
  valid: Uint8Array;
  /** Files or stores of at least 1 GB, by name, in the shape of those that publishers have. Each has a preview. */
  large: Readonly<Record<string, () => LargeFile>>;
  /** Hostile files, or the reason why the format allows no such attack. */
  attacks: Readonly<Record<Attack, Files | string>>;
}

const example = (name: string): Uint8Array => readFileSync(`lib/local/world-borders/${name}`);
const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const repeated = (text: string, bytes: number) => bytesOf(text.repeat(Math.floor(bytes / text.length)));
/** A number that hostile headers state, and that no preview may show. */
export const falseCount = 2 ** 32 - 1;
const gigabyte = 1_000_000_000;
const megabyte = 1_000_000;

/** Text files that consist of the given start and zeros up to the length. No preview reads to their end. */
const startingWith = (start: Uint8Array, byteLength: number): SparseFile => ({
  byteLength,
  parts: [{ at: 0, bytes: start }],
});

export const formatFiles: Readonly<Record<ScriptedFormat, FormatFiles>> = {
  csv: textTable(','),
  tsv: textTable('\t'),
  geojson: geojsonFiles(),
  stac: stacFiles(),
  parquet: parquetFiles(),
  pmtiles: pmtilesFiles(),
  geotiff: geotiffFiles(),
  zarr: zarrFiles(),
};

function textTable(separator: string): FormatFiles {
  const rows = (...values: string[][]) => bytesOf(values.map((row) => `${row.join(separator)}\n`).join(''));
  const observation = ['4401337', 'Parus major', 'PRESERVED_SPECIMEN', '52.3791', '4.8994', '2019-05-11', 'CC0_1_0'];
  return {
    valid: rows(['n', 'word'], ...Array.from({ length: 300 }, (_, index) => [`${index}`, `wörd "${index}"`])),
    large: {
      'species observations': () =>
        startingWith(
          rows(
            observation.map((_, at) => `c${at}`),
            ...Array.from({ length: 30_000 }, () => observation),
          ),
          3 * gigabyte,
        ),
    },
    attacks: {
      counts: 'A text table states no counts.',
      loops: 'A text table has no offsets.',
      bombs: {
        'a row of 8 million cells': () => repeated(separator, 8 * megabyte),
        'a million rows of one character': () => repeated('a\n', 2 * megabyte),
        'rows of 1,000 cells': () => repeated(`${'1'.repeat(1000).split('').join(separator)}\n`, 8 * megabyte),
        'empty lines': () => repeated('\n', 8 * megabyte),
      },
      nesting: {
        'a quotation without an end': () => bytesOf(`a\n"${'b\n'.repeat(4 * megabyte)}`),
        'doubled quotes': () => repeated('""', 8 * megabyte),
        'a quotation in each character': () => repeated('"a"b', 4 * megabyte),
      },
      notNumbers: {
        'numbers that are none': () =>
          rows(['a', 'b'], ['NaN', '1e999'], ['-Infinity', '0x7fffffffffffffff'], ['-', '1e']),
      },
      longTexts: {
        'a value of 8 MB': () => rows(['a', 'b'], ['1', 'x'.repeat(8 * megabyte)]),
        'names of 400 kB': () => rows(['x'.repeat(400_000), 'y'.repeat(400_000)], ['1', '2']),
        'long values in each cell': () => rows(...Array.from({ length: 2000 }, () => Array(50).fill('x'.repeat(70)))),
        'digits without an end': () => rows(['a'], [`1${'0'.repeat(500_000)}x`]),
      },
    },
  };
}

function geojsonFiles(): FormatFiles {
  const collection = (...features: string[]) =>
    bytesOf(`{"type":"FeatureCollection","features":[${features.join(',')}]}`);
  const feature = (geometry: string, properties = '{}') =>
    `{"type":"Feature","properties":${properties},"geometry":${geometry}}`;
  const building = (at: number) =>
    feature(
      `{"type":"Polygon","coordinates":[[[${5 + at / 1e4},52.1],[${5.0001 + at / 1e4},52.1],[${5.0001 + at / 1e4},52.1001],[${5 + at / 1e4},52.1001],[${5 + at / 1e4},52.1]]]}`,
      `{"height":${at % 30},"confidence":0.${700 + (at % 300)}}`,
    );
  const buildings = Array.from({ length: 12_000 }, (_, at) => building(at));
  const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}${close.repeat(depth)}`;
  const wide = (count: number, length: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, 'x'.repeat(length)])));
  return {
    valid: collection(...buildings.slice(0, 40)),
    large: {
      'footprints of buildings': () =>
        startingWith(bytesOf(`{"type":"FeatureCollection","features":[${buildings.join(',\n')},`), 2 * gigabyte),
      'footprints of buildings, one per line': () => startingWith(bytesOf(`${buildings.join('\n')}\n`), 2 * gigabyte),
    },
    attacks: {
      counts: 'GeoJSON states no counts.',
      loops: 'GeoJSON has no offsets.',
      bombs: {
        'empty objects': () => collection(feature('null', `{"a":[${'{},'.repeat(5 * megabyte)}{}]}`)),
        'empty lists': () => collection(feature('null', `{"a":[${'[],'.repeat(5 * megabyte)}[]]}`)),
        'features without content': () => collection('{},'.repeat(5 * megabyte)),
        'a line of 2.6 million points': () =>
          collection(feature(`{"type":"LineString","coordinates":[${'[1,2],'.repeat(2.6 * megabyte)}[1,2]]}`)),
        'areas without rings': () =>
          collection(feature(`{"type":"MultiPolygon","coordinates":[${'[],'.repeat(5 * megabyte)}[]]}`)),
        'points across the antimeridian': () =>
          collection(
            feature(`{"type":"LineString","coordinates":[${'[179,1],[-179,1],'.repeat(0.9 * megabyte)}[179,1]]}`),
          ),
        'geometries in collections': () =>
          collection(
            feature(`{"type":"GeometryCollection","geometries":[${'{"type":"Point"},'.repeat(0.9 * megabyte)}{}]}`),
          ),
        'many properties in many features': () =>
          collection(...Array.from({ length: 1500 }, () => feature('null', wide(50, 150)))),
      },
      nesting: {
        'lists, 100,000 deep': () => bytesOf(`{"features":[${'['.repeat(100_000)}`),
        'coordinates, 190 deep': () => collection(feature(`{"type":"Polygon","coordinates":${nested('[', ']', 190)}}`)),
        'properties, 190 deep': () =>
          collection(feature('null', `{"a":${nested('{"a":', '}', 180).replace('}', '1}')}}`)),
        'collections of geometries, 90 deep': () =>
          collection(feature(nested('{"type":"GeometryCollection","geometries":[', ']}', 90))),
        'quotes that are escaped': () => bytesOf(`{"features":["${'\\"'.repeat(megabyte)}`),
        backslashes: () => bytesOf(`{"features":["${'\\'.repeat(2 * megabyte)}`),
      },
      notNumbers: {
        'coordinates of 1e999': () => collection(feature('{"type":"MultiPoint","coordinates":[[1e999,-1e999],[1,2]]}')),
        'coordinates of 1e8': () => collection(feature('{"type":"MultiPoint","coordinates":[[1e8,-1e8],[-1e8,1e8]]}')),
        'coordinates without numbers': () =>
          collection(feature('{"type":"LineString","coordinates":[null,{},["1",[2]],1]}')),
        'literals that are no JSON': () => collection(feature('{"type":"Point","coordinates":[NaN,Infinity]}')),
        'properties of 1e999': () => collection(feature('{"type":"Point","coordinates":[1,2]}', '{"a":1e999,"b":-0}')),
      },
      longTexts: {
        'a property of 1.9 MB': () => collection(feature('null', `{"a":"${'x'.repeat(1.9 * megabyte)}"}`)),
        'a name of 1.9 MB': () => collection(feature('null', `{"${'x'.repeat(1.9 * megabyte)}":1}`)),
        'a type of 1.9 MB': () => collection(`{"type":"${'x'.repeat(1.9 * megabyte)}"}`),
        'names of inherited properties': () =>
          collection(
            feature('{"type":"constructor","coordinates":[]}', '{"__proto__":{"a":1},"toString":1,"constructor":2}'),
          ),
        'a number of 1.9 MB': () =>
          collection(feature(`{"type":"Point","coordinates":[${'1'.repeat(1.9 * megabyte)},1]}`)),
      },
    },
  };
}

function stacFiles(): FormatFiles {
  const item = (at: number) =>
    `{"type":"Feature","stac_version":"1.0.0","id":"scene-${at}","properties":{"datetime":"2025-06-01T00:00:00Z","eo:cloud_cover":${at % 100}},"geometry":{"type":"Polygon","coordinates":[[[${at % 170},10],[${(at % 170) + 1},10],[${(at % 170) + 1},11],[${at % 170},10]]]},"links":[],"assets":{"B04":{"href":"./scene-${at}/B04.tif","type":"image/tiff; application=geotiff"}}}`;
  const items = Array.from({ length: 8000 }, (_, at) => item(at));
  const collection = (boxes: string) =>
    bytesOf(`{"type":"Collection","stac_version":"1.0.0","id":"a","extent":{"spatial":{"bbox":[${boxes}]}}}`);
  /** Returns a catalog with links. Each file below its folder is the same catalog. */
  const catalogs = (href: string, count: number) => {
    const links = Array.from({ length: count }, () => `{"rel":"child","href":${href}}`);
    const bytes = bytesOf(`{"type":"Catalog","stac_version":"1.0.0","links":[${links.join(',')}]}`);
    return { byteLength: bytes.byteLength, parts: [{ at: 0, bytes }], others: bytes };
  };
  return {
    valid: bytesOf(item(3)),
    large: {
      'the items of a catalog': () =>
        startingWith(bytesOf(`{"type":"FeatureCollection","features":[${items.join(',')},`), 2 * gigabyte),
      'a catalog of 10,000 scenes': () => ({
        ...catalogs('"./scene.json"', 10_000),
        others: bytesOf(item(3).padEnd(110_000)),
        otherPaths: Array.from({ length: 10_000 }, (_, at) => `scenes/${at}.json`),
      }),
    },
    attacks: {
      counts: 'STAC states no counts that the preview shows.',
      loops: {
        'catalogs that link to themselves': () => catalogs('"./catalog.json"', 3000),
        'links out of the folder': () => catalogs('"../../../catalog.json"', 3000),
        'links without a path': () => catalogs('{"a":[1e999]}', 3000),
        'linked files of 250 kB of lists': () => ({
          ...catalogs('"./a.json"', 3000),
          others: bytesOf(`{"type":"Feature","geometry":[${'[],'.repeat(83_000)}[]]}`),
        }),
        'linked files of lists, 100,000 deep': () => ({
          ...catalogs('"./a.json"', 300),
          others: repeated('[', 100_000),
        }),
        'linked areas of 15,000 points': () => ({
          ...catalogs('"./a.json"', 300),
          others: bytesOf(
            `{"geometry":{"type":"Polygon","coordinates":[[${'[179,1],[-179,1],'.repeat(14_000)}[179,1]]]}}`,
          ),
        }),
      },
      bombs: {
        'a million boxes': () => collection(`${'[1,2,3,4],'.repeat(megabyte)}[1,2,3,4]`),
        'empty boxes': () => collection(`${'[],'.repeat(5 * megabyte)}[]`),
        'empty objects': () => bytesOf(`{"stac_version":"1.0.0","links":[${'{},'.repeat(5 * megabyte)}{}]}`),
      },
      nesting: {
        'lists, 2 million deep': () => bytesOf(`{"stac_version":"1.0.0","links":${'['.repeat(2 * megabyte - 50)}`),
        'lists in the extent': () => collection(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      },
      notNumbers: {
        'boxes of 1e999': () => collection('[1e999,-1e999,1e999,1e999],[1,2,3,4]'),
        'boxes of texts': () => collection('["1","2","3","4"],[null,null,null,null],[1,2]'),
        'boxes in the wrong order': () => collection('[170,80,-170,-80],[1e8,1e8,-1e8,-1e8]'),
      },
      longTexts: {
        'an ID of 1.9 MB': () =>
          bytesOf(`{"stac_version":"1.0.0","type":"Feature","id":"${'x'.repeat(1.9 * megabyte)}"}`),
        'a name of 1.9 MB': () =>
          bytesOf(`{"stac_version":"1.0.0","type":"Feature","properties":{"${'x'.repeat(1.9 * megabyte)}":1}}`),
      },
    },
  };
}

/** Returns a geometry that begins with the given bytes and then repeats a byte. */
function wkbOf(length: number, repeated: readonly number[], start = repeated): Uint8Array {
  const wkb = Uint8Array.from({ length }, (_, at) => repeated[at % repeated.length] ?? 0);
  wkb.set(start);
  return wkb;
}

function parquetFiles(): FormatFiles {
  const valid = parquetOf([
    { name: 'a', data: Array.from({ length: 500 }, (_, index) => index), type: 'INT32' },
    { name: 'b', data: Array.from({ length: 500 }, (_, index) => `value ${index % 9}`) },
  ]);
  const rows = 4000;
  const uncompressed = (data: Uint8Array, values = rows) => ({ encoding: 'plain', values, data }) as const;
  const indexes = (...bytes: number[]) =>
    ({ encoding: 'dictionary', values: rows, data: Uint8Array.from(bytes) }) as const;
  const dictionary = { encoding: 'plain', values: 2, data: new Uint8Array(8), isDictionary: true } as const;
  const run = (count: number) => varint(count * 2);
  const bomb = zstdCompressSync(Buffer.alloc(31 * 2 ** 20));
  return {
    valid,
    large: { 'measurements of gauges': () => largeParquet(), 'shops with geometries': () => largeGeoParquet() },
    attacks: {
      counts: {
        'rows in the file': () => withFooter(valid, (metadata) => (metadata.num_rows = BigInt(falseCount))),
        'rows in all parts of the footer': () =>
          withFooter(valid, (metadata) => {
            metadata.num_rows = BigInt(falseCount);
            for (const group of metadata.row_groups) {
              group.num_rows = BigInt(falseCount);
              for (const { meta_data } of group.columns) if (meta_data) meta_data.num_values = BigInt(falseCount);
            }
          }),
        'points of a geometry': () =>
          geoParquetOf([Uint8Array.from([1, 2, 0, 0, 0, 255, 255, 255, 255, ...Array(64).fill(0)])]),
        'rows of a file with more rows than a part': () =>
          withFooter(
            parquetOf([{ name: 'a', data: Array.from({ length: 5000 }, (_, index) => index) }]),
            (metadata) => {
              metadata.num_rows = BigInt(falseCount);
              for (const group of metadata.row_groups) {
                group.num_rows = BigInt(falseCount);
                for (const { meta_data } of group.columns) if (meta_data) meta_data.num_values = BigInt(falseCount);
              }
            },
          ),
        'negative rows': () => withFooter(valid, (metadata) => (metadata.num_rows = -1n)),
        'values of a page': () => parquetOfPages({ pages: [uncompressed(new Uint8Array(100), falseCount)], rows }),
        'bytes of a page': () =>
          parquetOfPages({
            pages: [{ ...uncompressed(new Uint8Array(100)), bytesInside: falseCount }],
            rows,
            codec: 'ZSTD',
          }),
        'empty cells': () =>
          withFooter(valid, (metadata) => {
            const statistics = metadata.row_groups[0]?.columns[0]?.meta_data?.statistics;
            if (statistics) statistics.null_count = BigInt(falseCount);
          }),
        'children of the schema': () => parquetOfSchema([{ name: 'a', children: 2 ** 31 - 1 }, { name: 'b' }]),
      },
      bombs: {
        'one geometry of 90 kB for each of 3,000 rows': () =>
          geoParquetOf(
            Array<Uint8Array>(3000).fill(wkbOf(90_009, [1, 2, 0, 0, 0, 0, 0, 0, 0], [1, 5, 0, 0, 0, 16, 39, 0, 0])),
          ),
        'a geometry of 3.9 MB of points': () =>
          geoParquetOf([wkbOf(3_900_009, [0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 255, 255, 3, 0])]),
        'a page of Zstandard': () =>
          parquetOfPages({
            pages: [{ ...uncompressed(bomb), bytesInside: 31 * 2 ** 20 }],
            rows,
            codec: 'ZSTD',
            columns: 100,
          }),
        'a page that decompresses to more than stated': () =>
          parquetOfPages({ pages: [{ ...uncompressed(bomb), bytesInside: 1000 }], rows, codec: 'ZSTD', columns: 100 }),
        'a page of gzip': () =>
          parquetOfPages({
            pages: [{ ...uncompressed(gzipSync(Buffer.alloc(2 ** 29))), bytesInside: 31 * 2 ** 20 }],
            ...{ rows, codec: 'GZIP', columns: 100 },
          }),
        'a page of Snappy': () =>
          parquetOfPages({
            pages: [
              {
                ...uncompressed(
                  Buffer.concat([Buffer.from([0, 0, 97]), Buffer.alloc(600_000, Buffer.from([0xfe, 1, 0]))]),
                ),
                bytesInside: 31 * 2 ** 20,
              },
            ],
            ...{ rows, codec: 'SNAPPY', columns: 100 },
          }),
        'a page of LZ4': () =>
          parquetOfPages({
            pages: [
              {
                ...uncompressed(Buffer.concat([Buffer.from([0x1f, 97, 1, 0]), Buffer.alloc(900_000, 255)])),
                bytesInside: 31 * 2 ** 20,
              },
            ],
            ...{ rows, codec: 'LZ4_RAW', columns: 100 },
          }),
        'a run of 2^30 indexes': () => parquetOfPages({ pages: [dictionary, indexes(1, ...run(2 ** 30), 1)], rows }),
        'packed indexes without an end': () =>
          parquetOfPages({ pages: [dictionary, indexes(1, ...varint(2 ** 31 + 1), 1, 2, 3)], rows }),
        'a run of 2^30 in each of 100 columns': () =>
          parquetOfPages({ pages: [dictionary, indexes(1, ...run(2 ** 30), 1)], rows, columns: 100 }),
        'two million values in each of 100 columns': () =>
          parquetOfPages({
            pages: [dictionary, { ...indexes(1, ...run(2_000_000), 1), values: 2_000_000 }],
            ...{ rows: 2_000_000, columns: 100 },
          }),
        'two million empty texts in each of 100 columns': () =>
          parquetOfPages({
            pages: [{ ...uncompressed(zstdCompressSync(Buffer.alloc(8e6)), 2_000_000), bytesInside: 8e6 }],
            ...{ type: 'BYTE_ARRAY', codec: 'ZSTD', rows: 2_000_000, columns: 100 },
          }),
        'differences without an end': () =>
          parquetOfPages({
            pages: [
              {
                encoding: 'delta',
                values: rows,
                data: Buffer.concat([Buffer.from([128, 1, 4, 10, 0]), Buffer.alloc(400_000, 255)]),
              },
            ],
            ...{ type: 'INT64', rows },
          }),
        'differences in 2^31 blocks': () =>
          parquetOfPages({
            pages: [
              {
                encoding: 'delta',
                values: rows,
                data: Uint8Array.from([128, 1, ...varint(2 ** 31 - 1), 10, 0, 0, 0, 0]),
              },
            ],
            ...{ type: 'INT64', rows },
          }),
        'random bytes as Zstandard': () => parquetOfPages({ pages: zstdNoise(), rows, codec: 'ZSTD', columns: 20 }),
        'a schema of 60,000 columns': () =>
          parquetOfSchema([{ name: 'a', children: 60_000 }, ...Array<SchemaPart>(60_000).fill({ name: 'b' })]),
        'a run of 2^30 levels': () =>
          parquetOfPages({
            pages: [
              uncompressed(Buffer.concat([Uint8Array.from([6, 0, 0, 0, ...run(2 ** 30), 1]), Buffer.alloc(4 * rows)])),
            ],
            ...{ rows, isOptional: true },
          }),
        '200,000 empty row groups': () =>
          withFooter(valid, (metadata) => {
            metadata.num_rows = 0n;
            metadata.row_groups = Array(200_000).fill({ columns: [], total_byte_size: 0n, num_rows: 0n });
          }),
      },
      nesting: {
        'collections of geometries, 100,000 deep': () => geoParquetOf([wkbOf(900_000, [1, 7, 0, 0, 0, 1, 0, 0, 0])]),
        'a schema 60 deep': () => deepSchema(60),
        'a schema 5,000 deep': () => deepSchema(5000),
        'a schema 100,000 deep': () => deepSchema(100_000),
        'structs of Thrift': () => withRawFooter(Buffer.alloc(5000, 0x1c)),
        'lists of Thrift': () => withRawFooter(Buffer.alloc(5000, 0x19)),
      },
      loops: {
        'columns that are the footer': () =>
          withFooter(valid, (metadata) => {
            for (const { meta_data } of metadata.row_groups.flatMap(({ columns }) => columns)) {
              if (!meta_data) continue;
              delete meta_data.dictionary_page_offset;
              meta_data.data_page_offset = BigInt(valid.byteLength - 200);
              meta_data.total_compressed_size = 150n;
            }
          }),
        'columns that all are the whole file': () =>
          withFooter(valid, (metadata) => {
            for (const { meta_data } of metadata.row_groups.flatMap(({ columns }) => columns)) {
              if (!meta_data) continue;
              delete meta_data.dictionary_page_offset;
              meta_data.data_page_offset = 4n;
              meta_data.total_compressed_size = BigInt(valid.byteLength - 4);
            }
          }),
        'an index of offsets that is its own page': () =>
          withFooter(valid, (metadata) => {
            for (const chunk of metadata.row_groups.flatMap(({ columns }) => columns)) {
              chunk.offset_index_offset = 4n;
              chunk.offset_index_length = 100;
            }
          }),
      },
      notNumbers: {
        'NaN in values and statistics': () =>
          parquetOf([{ name: 'a', data: [Number.NaN, Number.POSITIVE_INFINITY, -0, 5e-324], type: 'DOUBLE' }]),
        'coordinates of geometries': () =>
          geoParquetOf([
            { type: 'Point', coordinates: [Number.NaN, Number.POSITIVE_INFINITY] },
            {
              type: 'LineString',
              coordinates: [
                [1e308, -1e308],
                [5e-324, -0],
              ],
            },
          ]),
        'times beyond each calendar': () =>
          parquetOf([{ name: 't', data: [new Date(8.64e15), new Date(-8.64e15)], type: 'TIMESTAMP' }]),
      },
      longTexts: {
        'the name of the writer': () => withFooter(valid, (metadata) => (metadata.created_by = 'x'.repeat(900_000))),
        'the name of a column': () => parquetOfSchema([{ name: 'a', children: 1 }, { name: 'x'.repeat(400_000) }]),
        'values of 400 kB': () => parquetOf([{ name: 'a', data: ['x'.repeat(400_000), 'y'.repeat(400_000)] }]),
        'a decimal of 300 kB as the lowest value': () => decimalOf(300_000),
        'a decimal of 300 kB in a page': () => decimalInPage(300_000),
      },
    },
  };

  function deepSchema(depth: number): Uint8Array {
    return parquetOfSchema([...Array<SchemaPart>(depth).fill({ name: 'a', children: 1 }), { name: 'b' }]);
  }

  function asDecimal(length: number, metadata: FileMetaData): ColumnMetaData | undefined {
    const [, column] = metadata.schema;
    const meta = metadata.row_groups[0]?.columns[0]?.meta_data;
    if (column === undefined || meta === undefined) return undefined;
    meta.type = 'FIXED_LEN_BYTE_ARRAY';
    const decimal = {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: length,
      converted_type: 'DECIMAL',
      precision: 9,
      scale: 2,
    };
    Object.assign(column, decimal);
    return meta;
  }

  function decimalOf(length: number): Uint8Array {
    const page = { encoding: 'plain', values: 1, data: Buffer.alloc(8) } as const;
    const data = Buffer.alloc(length, 0x55);
    const file = parquetOfPages({ pages: [page], rows: 1, change: (metadata) => asDecimal(8, metadata) });
    return withStatistics(file, { field_5: data, field_6: data });
  }

  function decimalInPage(length: number): Uint8Array {
    const pages = [{ encoding: 'plain', values: 2, data: Buffer.alloc(2 * length, 0x55) }] as const;
    return parquetOfPages({ pages, rows: 2, change: (metadata) => asDecimal(length, metadata) });
  }

  /** Returns pages that begin like Zstandard and continue with random bytes. */
  function zstdNoise() {
    return Array.from({ length: 40 }, (_, at) => {
      const block = Buffer.alloc(3);
      const data = seededBytes(20_000, `zstd ${at}`);
      block.writeUIntLE(1 | (2 << 1) | (data.byteLength << 3), 0, 3);
      // A Zstandard frame with a window of 8 MB, and one compressed block.
      const frame = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68]), block, data]);
      return { encoding: 'plain', values: 100, data: frame, bytesInside: 100_000 } as const;
    });
  }
}

function pmtilesFiles(): FormatFiles {
  const world = example('countries.pmtiles');
  const one = (tile: Uint8Array, more: Partial<Parameters<typeof pmtilesOf>[0]> = {}) =>
    pmtilesOf({
      root: gzipSync(directoryOf([{ tile: 0, offset: 0, length: tile.byteLength }])),
      tiles: startingWith(tile, tile.byteLength),
      ...more,
    });
  const point = Uint8Array.from([9, 2, 2]);
  const simple = gzipSync(layerOf('a', [featureOf(1, point)]));
  /** The same tile at each position of zoom level 1. */
  const four = (tile: Uint8Array) =>
    one(tile, {
      root: gzipSync(directoryOf([{ tile: 0, offset: 0, length: tile.byteLength, run: 5 }])),
      zooms: [0, 1],
    });
  const tags = Array.from({ length: 100 }, (_, at) => [at, at]).flat();
  const keys = tags.filter((_, at) => at % 2 === 0).map((at) => field(3, Buffer.from(`property ${at}`)));
  const texts = keys.map((_, at) => field(4, field(1, Buffer.from(`${at} ${'x'.repeat(190)}`))));
  const header = (at: number, bytes: number[]) => {
    const changed = Uint8Array.from(world);
    changed.set(bytes, at);
    return changed;
  };
  return {
    valid: world,
    large: { 'a map of roads': () => largePmtiles() },
    attacks: {
      counts: {
        'tiles of the archive': () =>
          one(simple, { counts: [BigInt(falseCount), BigInt(falseCount), BigInt(falseCount)] }),
        'entries of a directory': () => one(simple, { root: gzipSync(Uint8Array.from(varint(falseCount))) }),
        'a zoom of 255': () => one(simple, { zooms: [0, 255] }),
        'the length of a tile': () =>
          one(simple, { root: gzipSync(directoryOf([{ tile: 0, offset: 0, length: falseCount }])) }),
        'points of a line': () =>
          one(gzipSync(layerOf('a', [featureOf(2, Uint8Array.from([9, 2, 2, ...varint(falseCount), 2, 2]))]))),
        'an extent of a layer': () =>
          one(gzipSync(field(3, Buffer.concat([field(1, Buffer.from('a')), field(5, falseCount)])))),
        'indexes of properties': () => one(gzipSync(layerOf('a', [featureOf(1, point, [falseCount, falseCount])]))),
      },
      bombs: {
        'a tile of 64 MB': () => four(gzipSync(Buffer.alloc(64 * 2 ** 20))),
        'a tile of 512 MB': () => four(gzipSync(Buffer.alloc(2 ** 29))),
        'a directory of 8 MB': () =>
          one(simple, { root: gzipSync(Buffer.concat([Buffer.from(varint(2_000_000)), Buffer.alloc(8e6)])) }),
        'a directory of 512 MB': () => one(simple, { root: gzipSync(Buffer.alloc(2 ** 29)).subarray(0, 15_000) }),
        'empty features': () => four(gzipSync(layerOf('a', Array(300_000).fill(featureOf(1, new Uint8Array()))))),
        points: () => four(gzipSync(layerOf('a', Array(300_000).fill(featureOf(1, point))))),
        'a line of 3 million points': () => four(gzipSync(layerOf('a', [featureOf(2, lineOf(3_000_000))]))),
        'rings of one point': () =>
          four(gzipSync(layerOf('a', [featureOf(3, Uint8Array.from(Array(500_000).fill([9, 2, 2, 15]).flat()))]))),
        'empty layers': () => four(gzipSync(Buffer.alloc(7_000_000, field(3, new Uint8Array())))),
        'empty values': () => four(gzipSync(layerOf('a', Array(1_000_000).fill(field(4, new Uint8Array()))))),
        'metadata of 32 MB': () => one(simple, { metadata: gzipSync(JSON.stringify({ name: 'x'.repeat(32e6) })) }),
        'metadata of empty objects': () => one(simple, { metadata: gzipSync(`{"a":[${'{},'.repeat(2_500_000)}{}]}`) }),
      },
      nesting: {
        'directories in directories': () => {
          const leaf = gzipSync(directoryOf([{ tile: 0, offset: 0, length: 60, run: 0 }]));
          return one(simple, { root: leaf, leaves: Buffer.concat([leaf, new Uint8Array(60 - leaf.byteLength)]) });
        },
        'metadata, 100,000 deep': () => one(simple, { metadata: gzipSync('['.repeat(100_000) + ']'.repeat(100_000)) }),
      },
      loops: {
        'a directory that is its own leaf': () => {
          const root = gzipSync(directoryOf([{ tile: 0, offset: 0, length: 40, run: 0 }]));
          const archive = one(simple, { root });
          const [start] = archive.parts;
          if (start !== undefined) Buffer.from(start.bytes.buffer, start.bytes.byteOffset).writeBigUInt64LE(127n, 40);
          return archive;
        },
        'tiles that are the header': () => header(56, [0, 0, 0, 0, 0, 0, 0, 0]),
        'metadata that is the whole file': () => header(24, [0, 0, 0, 0, 0, 0, 0, 0]),
      },
      notNumbers: {
        'bounds without an area': () => one(simple, { bounds: [10, 10, 10, 10] }),
        'bounds outside the world': () => one(simple, { bounds: [-214, -214, 214, 214] }),
        'zooms in the wrong order': () => one(simple, { zooms: [9, 2] }),
        'values that are NaN': () => {
          const values = [field(3, Buffer.from('a')), field(4, Uint8Array.from([0x19, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]))];
          return one(gzipSync(layerOf('a', [...values, featureOf(1, point, [0, 0])])));
        },
      },
      longTexts: {
        'properties of 20 kB in 50,000 features': () =>
          four(gzipSync(layerOf('a', [...keys, ...texts, ...Array(30_000).fill(featureOf(1, point, tags))]))),
        'the name of a layer': () => one(gzipSync(layerOf('x'.repeat(2_000_000), [featureOf(1, point)]))),
        'an attribution of open tags': () =>
          one(simple, { metadata: gzipSync(JSON.stringify({ attribution: '<'.repeat(7e6) })) }),
      },
    },
  };

  function lineOf(points: number): Uint8Array {
    return Buffer.concat([Uint8Array.from([9, 2, 2, ...varint(points * 8 + 2)]), Buffer.alloc(2 * points, 2)]);
  }
}

function geotiffFiles(): FormatFiles {
  const tile = { tileOffset: 1000, tileBytes: 3000 };
  const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes));
  /** An image whose data follows its directory. */
  const withData = (fields: Fields, data: Uint8Array) => {
    const head = tiffWith({ ...fields, offset: 4096, bytes: data.byteLength }).subarray(0, 4096);
    return Buffer.concat([head, data]);
  };
  return {
    valid: tiffWith({ width: 32, height: 32, rows: 32, bytes: 1024 }),
    large: { 'an aerial photograph': () => largeTiff() },
    attacks: {
      counts: {
        'width and height': () => tiffWith({ width: falseCount, height: falseCount }),
        'width and height in one strip': () => tiffWith({ width: falseCount, height: falseCount, rows: falseCount }),
        samples: () => tiffWith({ samples: falseCount }),
        'rows of a strip': () => tiffWith({ rows: falseCount }),
        'bytes of a strip': () => tiffWith({ bytes: falseCount }),
        'the size of a tile': () => tiffWith({ tileWidth: falseCount, tileHeight: falseCount, ...tile }),
        'values of each field': () => tiffWith(manyValues(falseCount)),
      },
      bombs: {
        Deflate: () => withData({ compression: 8, width: 2000, height: 2000, rows: 2000 }, zeros(2 ** 29)),
        LZW: () => withData({ compression: 5, width: 2000, height: 2000, rows: 2000 }, seededBytes(200_000, 'lzw')),
        PackBits: () =>
          withData({ compression: 32773, width: 2000, height: 2000, rows: 2000 }, Buffer.alloc(200_000, 129)),
        Zstandard: () =>
          withData(
            { compression: 50000, width: 2000, height: 2000, rows: 2000 },
            zstdCompressSync(Buffer.alloc(2 ** 29)),
          ),
        '256 strips that are the same bytes, with 65,535 samples': () =>
          repeatedStrips({ compression: 8, width: 16, height: 256, rows: 1, samples: 65_535 }, zeros(16 * 65_535), 256),
        '4,096 strips that are the same bytes': () =>
          repeatedStrips({ compression: 8, width: 1000, height: 4096, rows: 1, samples: 32 }, zeros(32_000), 4096),
        'pixels of 8 bytes': () =>
          withData(
            { compression: 8, width: 2049, height: 2049, rows: 2049, bits: 64, format: 3 },
            zeros(2049 * 2049 * 8),
          ),
        'a predictor': () =>
          withData(
            { compression: 8, width: 2000, height: 2000, rows: 2000, predictor: 3, bits: 32, format: 3 },
            zeros(16e6),
          ),
      },
      nesting: {
        '1,000 images in a row': () => images(1000),
      },
      loops: {
        'an image that is the next of itself': () => tiffWith({}, 8),
        'a strip that is the header': () => tiffWith({ offset: 1 }),
        'fields whose values are the directory': () => tiffWith(manyValues(2)),
      },
      notNumbers: {
        'pixels that are NaN': () =>
          withData(
            { bits: 32, format: 3, width: 16, height: 16 },
            new Uint8Array(Float32Array.from({ length: 256 }, (_, at) => (at % 2 === 0 ? Number.NaN : 3e38)).buffer),
          ),
        'a size of pixels that is NaN': () => placed([Number.NaN, Number.NaN, 0], [0, 0, 0, Number.NaN, Number.NaN, 0]),
        'pixels of 1e308 degrees': () => placed([1e308, 1e308, 0], [0, 0, 0, 1e308, -1e308, 0]),
        'pixels of 5e-324 degrees': () => placed([5e-324, 5e-324, 0], [0, 0, 0, 10, 10, 0]),
        'an image of the whole world and more': () => placed([25, 12, 0], [0, 0, 0, -180, 90, 0]),
      },
      longTexts: {
        'a text of 1 MB as the value of no data': () =>
          Buffer.concat([
            tiffWith({ noData: { type: 'text', count: 1_000_000, at: 4096 } }).subarray(0, 4096),
            Buffer.alloc(1_000_000, '9'),
          ]),
      },
    },
  };

  /** Builds an image of strips that all have the same offset. */
  function repeatedStrips(fields: Fields, data: Uint8Array, count: number): Uint8Array {
    const lists = Buffer.alloc(count * 8);
    for (let at = 0; at < count; at += 1) {
      lists.writeUInt32LE(4096 + lists.byteLength, at * 4);
      lists.writeUInt32LE(data.byteLength, (count + at) * 4);
    }
    const list = (at: number) => ({ type: 'uint32', count, at }) as const;
    const head = tiffWith({ ...fields, offset: list(4096), bytes: list(4096 + count * 4) }).subarray(0, 4096);
    return Buffer.concat([head, lists, data]);
  }

  function manyValues(count: number): Fields {
    const values = (at: number) => ({ type: 'uint32', count, at }) as const;
    return {
      width: values(8),
      height: values(8),
      bits: values(8),
      offset: values(8),
      bytes: values(8),
      rows: values(8),
    };
  }

  function images(count: number): Uint8Array {
    const image = Buffer.from(tiffWith({}).subarray(0, 200));
    const all = Buffer.concat(Array.from({ length: count }, () => image));
    const next = 10 + image.readUInt16LE(8) * 12;
    for (let at = 0; at < count - 1; at += 1) all.writeUInt32LE((at + 1) * 200 + 8, at * 200 + next);
    return all;
  }

  /** Builds an image with the given size of its pixels and tie point. */
  function placed(scale: readonly number[], tiePoint: readonly number[]): Uint8Array {
    const keys = [1, 1, 0, 1, 2048, 0, 1, 4326];
    const file = Buffer.from(
      tiffWith({
        pixelScale: { type: 'float64', count: 3, at: 3000 },
        tiePoint: { type: 'float64', count: 6, at: 3100 },
        geoKeys: { type: 'uint16', count: 8, at: 3200 },
      }),
    );
    for (const [at, value] of scale.entries()) file.writeDoubleLE(value, 3000 + at * 8);
    for (const [at, value] of tiePoint.entries()) file.writeDoubleLE(value, 3100 + at * 8);
    for (const [at, value] of keys.entries()) file.writeUInt16LE(value, 3200 + at * 2);
    return file;
  }
}

function zarrFiles(): FormatFiles {
  const bytes = { name: 'bytes', configuration: { endian: 'little' } };
  const store = (metadata: unknown, others?: Uint8Array): HostileSource => {
    const root = jsonBytes(metadata);
    return { byteLength: root.byteLength, parts: [{ at: 0, bytes: root }], ...(others && { others }) };
  };
  const encoded = (...names: string[]) =>
    arrayOf([4096, 4096], [4096, 4096], { codecs: [bytes, ...names.map((name) => ({ name }))] });
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const shards = { chunk_shape: [1, 1], codecs: [bytes], index_codecs: [bytes] };
  const levels = (datasets: unknown) => ({ ome: { multiscales: [{ datasets }] } });
  return {
    valid: jsonBytes(groupOf({ air: arrayOf([3, 40, 50], [1, 20, 25], { dimension_names: ['time', 'lat', 'lon'] }) })),
    large: {
      'a cube of 1,000 times': () => ({
        ...store(largeCube.metadata(), largeCube.chunk),
        otherPaths: largeCube.chunkPaths,
      }),
    },
    attacks: {
      counts: {
        'a shape of 10^15': () => store(arrayOf([1e15, 1e15], [1e3, 1e3])),
        'chunks of one value': () => store(arrayOf([1e9, 1e9], [1, 1])),
        'a million arrays': () =>
          store(groupOf(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [at, {}])))),
        'shards of 250,000 chunks': () =>
          store(
            arrayOf([500, 500], [500, 500], { codecs: [{ name: 'sharding_indexed', configuration: shards }] }),
            seededBytes(4_100_000, 'shards'),
          ),
      },
      bombs: {
        'chunks of 64 MB': () => store({ ...encoded('gzip'), shape: [40_960, 40_960] }, gzipSync(zeros)),
        'chunks of 16 MB of Zstandard': () =>
          store(
            arrayOf([4096, 4096], [2048, 2048], { codecs: [bytes, { name: 'zstd' }] }),
            zstdCompressSync(Buffer.alloc(16 * 1024 * 1024)),
          ),
        'a chunk in a chunk': () =>
          store({ ...encoded('gzip', 'gzip'), shape: [99, 99] }, gzipSync(gzipSync(Buffer.alloc(9e6)))),
        'a chunk of 1 GB': () => store(arrayOf([16_384, 16_384], [16_384, 16_384]), zeros),
        'a chunk that is too long': () => store({ ...encoded('gzip'), shape: [10, 10] }, gzipSync(Buffer.alloc(70e6))),
        'a Blosc buffer of many blocks': () => {
          const buffer = Buffer.alloc(megabyte, 16);
          buffer.set([2, 1, 33, 4]);
          buffer.writeUInt32LE(64 * 1024 * 1024, 4);
          buffer.writeUInt32LE(300, 8);
          return store(encoded('blosc'), buffer);
        },
      },
      nesting: {
        'a million brackets': () => store('['.repeat(megabyte)),
        'brackets in attributes': () => store(`{"zarr_format":3,"attributes":${'['.repeat(megabyte)}`),
        '40 dimensions': () => store(arrayOf(Array(40).fill(1), Array(40).fill(1))),
      },
      loops: {
        'levels that are the group': () =>
          store(
            { zarr_format: 3, node_type: 'group', attributes: levels([{ path: 'a' }]) },
            jsonBytes({ zarr_format: 3, node_type: 'group' }),
          ),
        'levels outside of the folder': () =>
          store({ zarr_format: 3, node_type: 'group', attributes: levels([{ path: '..' }]) }),
        'the same level many times': () =>
          store(groupOf({ a: arrayOf([9e5, 9e5], [1e3, 1e3]) }, levels(Array(5000).fill({ path: 'a' })))),
      },
      notNumbers: {
        'a fill value that is none': () => store(arrayOf([9, 9], [9, 9], { fill_value: 'NaN' })),
        'an infinite fill value': () => store(arrayOf([9, 9], [9, 9], { fill_value: '-Infinity' })),
        'an infinite scale': () =>
          store(arrayOf([9, 9], [9, 9], { attributes: { scale_factor: 1e308, add_offset: 1e308 }, fill_value: 9 })),
        'random bits': () => store(arrayOf([500, 500], [500, 500]), seededBytes(megabyte, 'bits')),
      },
      longTexts: {
        'names and units of 400 kB': () => {
          const text = 'a'.repeat(400_000);
          return store(
            groupOf({
              [text]: arrayOf([9, 9, 9], [9, 9, 9], {
                dimension_names: [text, text, text],
                attributes: { units: text, long_name: text },
              }),
            }),
          );
        },
        'a type and a codec of 400 kB': () =>
          store(arrayOf([9, 9], [9, 9], { data_type: 'a'.repeat(400_000), codecs: [{ name: 'b'.repeat(400_000) }] })),
      },
    },
  };
}
