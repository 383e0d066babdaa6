import { counted } from '../format.ts';
import { DataTable, NamedValues } from '../tables.tsx';
import { cellOf, cutText } from './cell-text.ts';
import { type Json, parseRecord, recordOf } from './json.ts';

const arraysShown = 200;
const attributesShown = 100;
const namesMax = 120;
/** The maximum number of values of a list that are formatted. More values never fit into `namesMax` characters. */
const valuesShown = 60;

/** The columns of the table of arrays. */
const columns = {
  path: 'Array',
  dimensions: 'Dimensions',
  shape: 'Shape',
  chunks: 'Chunks',
  type: 'Type',
  codecs: 'Codecs',
  fill: 'Fill value',
};
type Column = keyof typeof columns;

export interface ZarrMetadata {
  /** The version of the Zarr format in the metadata file: `2` or `3`. */
  format: string;
  /** The first arrays of the Zarr store, as many as a page shows. */
  arrays: Record<Column, string>[];
  arrayCount: number;
  attributes: [name: string, value: string][];
}

/** Parses a metadata file of Zarr 2 or 3. The file describes one array or many. Returns undefined for other content. */
export function readZarrMetadata(fileName: string, text: string): ZarrMetadata | undefined {
  const root = parseRecord(text);
  if (root === undefined) return undefined;
  if (fileName === '.zattrs') return { format: '2', arrays: [], arrayCount: 0, attributes: attributesOf(root) };
  const format = cutText(plain(root['zarr_format'] ?? root['zarr_consolidated_format']), 8);
  if (format === '') return undefined;
  const inside = recordOf(recordOf(root['consolidated_metadata'])['metadata'] ?? root['metadata']);
  const all = [['', root] as const, ...Object.entries(inside)].flatMap(([path, value]) => {
    const own = recordOf(value);
    return Array.isArray(own['shape']) ? [{ path, own }] : [];
  });
  const arrays = all
    .slice(0, arraysShown)
    .map(({ path, own }) =>
      arrayOf(path.replace(/\/?\.zarray$/, ''), own, recordOf(inside[path.replace(/\.zarray$/, '.zattrs')])),
    );
  return {
    format,
    arrays,
    arrayCount: all.length,
    attributes: attributesOf(recordOf(root['attributes'] ?? inside['.zattrs'])),
  };
}

function arrayOf(path: string, own: Json, attributes: Json): Record<Column, string> {
  const grid = recordOf(recordOf(own['chunk_grid'])['configuration']);
  const compressor = recordOf(own['compressor']);
  const codecs = Array.isArray(own['codecs'])
    ? own['codecs'].map((codec) => recordOf(codec)['name'])
    : [compressor['id']];
  const dimensions = own['dimension_names'] ?? attributes['_ARRAY_DIMENSIONS'];
  return {
    path: cutText(path, namesMax),
    type: plain(own['data_type'] ?? own['dtype']),
    shape: sizes(own['shape']),
    chunks: sizes(grid['chunk_shape'] ?? own['chunks']),
    dimensions: Array.isArray(dimensions)
      ? cutText(dimensions.slice(0, valuesShown).map(plain).join(', '), namesMax)
      : '',
    codecs: cutText(codecs.slice(0, valuesShown).map(plain).filter(Boolean).join(', '), namesMax),
    fill: plain(own['fill_value']),
  };
}

function attributesOf(attributes: Json): [string, string][] {
  return Object.entries(attributes)
    .slice(0, attributesShown)
    .map(([name, value]) => [cutText(name, namesMax), plain(value)]);
}

/** Formats the lengths of an array's dimensions, such as `1,000 × 500`. */
function sizes(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return cutText(
    value
      .slice(0, valuesShown)
      .map((size) => (typeof size === 'number' ? size.toLocaleString('en') : plain(size)))
      .join(' × '),
    namesMax,
  );
}

function plain(value: unknown): string {
  return cellOf(value) ?? '';
}

export function ZarrTables({ metadata }: { metadata: ZarrMetadata }) {
  const { arrays, arrayCount, attributes, format } = metadata;
  const isPart = arrays.length < arrayCount;
  const countText = isPart ? `The first ${arrays.length} of ${arrayCount} arrays.` : `${counted(arrayCount, 'array')}.`;
  const shown = (Object.keys(columns) as Column[]).filter((column) => arrays.some((array) => array[column] !== ''));
  return (
    <>
      <p class="soft">
        Zarr {format}. {arrayCount > 0 && countText}
      </p>
      {arrays.length > 0 && (
        <DataTable
          table={{
            columns: shown.map((column) => ({ name: columns[column] })),
            rows: arrays.map((array) => shown.map((column) => array[column])),
          }}
          label="Preview"
        />
      )}
      {attributes.length > 0 && (
        <>
          <h3>Attributes</h3>
          <NamedValues rows={attributes} />
        </>
      )}
    </>
  );
}
