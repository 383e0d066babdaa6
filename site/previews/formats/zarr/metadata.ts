import { formatBytes } from '../../../../lib/pages/site/format.ts';
import { cellOf, cutText } from '../../../../lib/pages/site/previews/cell-text.ts';
import { type Json, listOf, recordOf } from '../../../../lib/pages/site/previews/json.ts';
import { type BoundedRanges, listedFoldersMax } from '../../reading/ranges.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { chunkBytesMax, elementBytesOf, isReadableCodec } from './codecs.ts';

/** The metadata of an array as it is in its file, unchecked. */
export interface ArrayNode {
  /** The path of the array below the opened folder. Empty if the opened file is itself an array. */
  path: string;
  version: 2 | 3;
  metadata: Json;
  attributes: Json;
  /** The names of the dimensions, from the metadata of the group that contains the array. */
  axes?: string[] | undefined;
}

export interface ZarrStore {
  /** A map from the path of each array to the array. Arrays that only name the positions along an axis come last. */
  arrays: ReadonlyMap<string, ArrayNode>;
  /** The paths of the resolution levels. Each path is an array, or a group that contains the same arrays. */
  levels: string[];
  /** Sentences that tell which arrays can be missing. */
  notes: string[];
}

/** An array whose sizes, type, and codecs have been checked. */
export interface ArrayInfo extends ArrayNode {
  shape: number[];
  /** The shape of the chunks that are decoded. In a sharded array, each file contains several chunks. */
  chunks: number[];
  /** The shape of each file of a sharded array. */
  shard: number[] | undefined;
  dataType: string;
  chunkBytes: number;
  dimensions: string[];
}

const arraysMax = 500;
const levelsMax = 12;
const dimensionsMax = 10;
const metadataBytesMax = 1_000_000;
const indexChunksMax = 250_000;
const nameMax = 100;

const kinds: Readonly<Record<string, string>> = { b: 'bool', i: 'int', u: 'uint', f: 'float' };

/** Reads the opened metadata file, and the metadata of other files that it needs. */
export async function openStore(file: BoundedRanges): Promise<ZarrStore> {
  const root = parse(await file.read(0, file.fileBytes));
  if (root['zarr_consolidated_format'] !== undefined) return storeOfVersion2(recordOf(root['metadata']));
  if (root['zarr_format'] === 2) {
    if (root['shape'] === undefined) return openGroupOfVersion2(file);
    const attributes = await readJson(file, '.zattrs');
    return storeOf([{ path: '', version: 2, metadata: root, attributes: attributes ?? {} }], []);
  }
  if (root['zarr_format'] !== 3) throw new PreviewRefusal('not-of-this-format');
  const attributes = recordOf(root['attributes']);
  if (root['node_type'] === 'array') return storeOf([{ path: '', version: 3, metadata: root, attributes }], []);
  const listed = Object.entries(recordOf(recordOf(root['consolidated_metadata'])['metadata'])).flatMap(
    ([path, node]) => nodeOfVersion3(path, recordOf(node)) ?? [],
  );
  const { levels, axes } = multiscalesOf(attributes);
  if (listed.length > 0) return storeOf(withAxes(listed, axes), levels);
  return openUnlisted(file, levels, axes, async (path) => {
    const metadata = await readJson(file, `${path}/zarr.json`);
    return nodeOfVersion3(path, metadata ?? {}) ?? (metadata?.['node_type'] === 'group' ? 'group' : undefined);
  });
}

async function openGroupOfVersion2(file: BoundedRanges): Promise<ZarrStore> {
  const consolidated = await readJson(file, '.zmetadata');
  if (consolidated !== undefined) return storeOfVersion2(recordOf(consolidated['metadata']));
  const { levels, axes } = multiscalesOf((await readJson(file, '.zattrs')) ?? {});
  return openUnlisted(file, levels, axes, async (path) => {
    const metadata = await readJson(file, `${path}/.zarray`);
    if (metadata === undefined) return 'group';
    return { path, version: 2, metadata, attributes: (await readJson(file, `${path}/.zattrs`)) ?? {} };
  });
}

/** Reads the metadata of a folder: an array, or a group of which only the existence matters. */
type ReadNode = (path: string) => Promise<ArrayNode | 'group' | undefined>;

/** The maximum number of requests for the metadata of a folder: one for the array, and one for its attributes. */
const requestsOfNode = 2;

/** Opens a group without a list of its arrays: reads its levels, or else finds arrays in the folders below it. */
async function openUnlisted(
  file: BoundedRanges,
  levels: string[],
  axes: string[] | undefined,
  readNode: ReadNode,
): Promise<ZarrStore> {
  const named = await Promise.all(levels.map(readNode));
  const nodes = named.filter(isArrayNode);
  if (nodes.length > 0) return storeOf(withAxes(nodes, axes), levels);
  const found = await findArrays(file, readNode);
  return { ...storeOf(withAxes(found.nodes, axes), []), notes: found.notes };
}

/**
 * Finds the arrays in the folders below a group, and in the folders of these if they are groups. Leaves half of the
 * requests for the chunks.
 */
async function findArrays(file: BoundedRanges, readNode: ReadNode) {
  let left = Math.min(listedFoldersMax, Math.floor(file.remaining().requests / (2 * requestsOfNode)));
  let isPart = false;
  const nodes: ArrayNode[] = [];
  /** Reads the folders below a group, and returns those that are groups. */
  const readBelow = async (group: string): Promise<string[]> => {
    left -= 1;
    const { names, hasMore } = await file.listNear(group);
    const paths = names.slice(0, Math.max(0, left)).map((name) => (group === '' ? name : `${group}/${name}`));
    isPart ||= hasMore || paths.length < names.length;
    left -= paths.length;
    const below = await Promise.all(paths.map(readNode));
    nodes.push(...below.filter(isArrayNode));
    return paths.filter((_, at) => below[at] === 'group');
  };
  for (const group of await readBelow('')) {
    if (left > 1) await readBelow(group);
    else isPart = true;
  }
  const note = 'This group has no list of its arrays and too many folders, so some of its arrays can be missing.';
  return { nodes, notes: isPart ? [note] : [] };
}

function isArrayNode(node: ArrayNode | 'group' | undefined): node is ArrayNode {
  return node !== undefined && node !== 'group';
}

function storeOfVersion2(metadata: Json): ZarrStore {
  const nodes = Object.entries(metadata).flatMap(([name, array]): ArrayNode[] => {
    if (!/(^|\/)\.zarray$/.test(name)) return [];
    const path = name.replace(/\/?\.zarray$/, '');
    const attributes = recordOf(metadata[name.replace(/\.zarray$/, '.zattrs')]);
    return [{ path, version: 2, metadata: recordOf(array), attributes }];
  });
  const { levels, axes } = multiscalesOf(recordOf(metadata['.zattrs']));
  return storeOf(withAxes(nodes, axes), levels);
}

function nodeOfVersion3(path: string, metadata: Json): ArrayNode | undefined {
  if (metadata['node_type'] !== 'array') return undefined;
  return { path, version: 3, metadata, attributes: recordOf(metadata['attributes']) };
}

/** Returns the resolution levels that OME-Zarr and GeoZarr describe, and the names of the axes. */
function multiscalesOf(attributes: Json): { levels: string[]; axes: string[] | undefined } {
  const stated = recordOf(attributes['ome'])['multiscales'] ?? attributes['multiscales'];
  const first = recordOf(Array.isArray(stated) ? stated[0] : stated);
  const sets = listOf(first['datasets'] ?? first['layout']);
  const levels = sets.flatMap((set) => {
    const { path, asset } = recordOf(set);
    const level = path ?? asset;
    return typeof level === 'string' && level !== '' ? [level] : [];
  });
  const axes = listOf(first['axes']).map((axis) => textOf(recordOf(axis)['name'] ?? axis));
  return { levels: levels.slice(0, levelsMax), axes: axes.length > 0 ? axes : undefined };
}

function withAxes(nodes: readonly ArrayNode[], axes: string[] | undefined): ArrayNode[] {
  return nodes.map((node) => ({ ...node, axes }));
}

function storeOf(nodes: readonly ArrayNode[], levels: string[]): ZarrStore {
  if (nodes.length === 0) throw new PreviewRefusal('no-arrays');
  const importance = (node: ArrayNode) => (isCoordinate(node) ? 0 : Math.min(3, rankOf(node.metadata)));
  const sorted = nodes.toSorted((a, b) => importance(b) - importance(a)).slice(0, arraysMax);
  return { arrays: new Map(sorted.map((node) => [node.path, node])), levels, notes: [] };
}

/** Returns the number of dimensions that the metadata of an array states. */
export function rankOf({ shape }: Json): number {
  return listOf(shape).length;
}

/** Returns true for an array that contains the coordinates of the dimension of the same name. */
function isCoordinate(node: ArrayNode): boolean {
  const names = dimensionNamesOf(node);
  return names.length === 1 && names[0] === node.path.split('/').at(-1);
}

function dimensionNamesOf({ metadata, attributes, axes }: ArrayNode): unknown[] {
  return listOf(metadata['dimension_names'] ?? attributes['_ARRAY_DIMENSIONS'] ?? axes);
}

/** Checks the metadata of an array before memory for the array is reserved. Throws PreviewRefusal. */
export function checkArray(node: ArrayNode): ArrayInfo {
  const { metadata, version } = node;
  const shape = sizesOf(metadata['shape'], 0);
  if (shape.length > dimensionsMax) throw new PreviewRefusal('dimensions', String(shape.length));
  const dataType = dataTypeOf(metadata, version);
  const size = elementBytesOf(dataType);
  if (size === undefined) throw new PreviewRefusal('data-type', dataType);
  const file = fileShapeOf(metadata, version);
  const codecs = codecsOf(metadata, version);
  const sharding = codecs.find(({ name }) => name === 'sharding_indexed');
  const inner = sharding === undefined ? undefined : sizesOf(sharding.configuration['chunk_shape'], 1);
  const inside = sharding === undefined ? [] : codecsInside(sharding.configuration);
  for (const codec of [...codecs, ...inside]) if (codec !== sharding) checkCodec(codec, shape.length);
  if (sharding !== undefined && codecs.length > 1) throw new PreviewRefusal('extension', 'codecs around shards');
  const chunks = inner ?? file;
  if (chunks.length !== shape.length || file.length !== shape.length) throw new PreviewRefusal('damaged');
  const perFile = file.map((length, at) => length / (chunks[at] ?? length));
  if (!perFile.every(Number.isInteger) || productOf(perFile) > indexChunksMax) throw new PreviewRefusal('damaged');
  const chunkBytes = productOf(chunks) * size;
  if (chunkBytes > chunkBytesMax) throw new PreviewRefusal('large-chunks', formatBytes(chunkBytes));
  const names = dimensionNamesOf(node);
  const dimensions = shape.map((_, at) => textOf(names[at]) || `dimension ${at + 1}`);
  return { ...node, shape, chunks, shard: inner && file, dataType, chunkBytes, dimensions };
}

function dataTypeOf(metadata: Json, version: 2 | 3): string {
  const stated = metadata[version === 2 ? 'dtype' : 'data_type'];
  if (version === 3 || typeof stated !== 'string') return textOf(stated);
  const [, kind = '', size = ''] = /^[<>|]([biuf])([1248])$/.exec(stated) ?? [];
  if (kind === '') return textOf(stated);
  return kind === 'b' ? 'bool' : `${kinds[kind]}${Number(size) * 8}`;
}

function fileShapeOf(metadata: Json, version: 2 | 3): number[] {
  if (version === 2) {
    if (!['.', '/', undefined].includes(metadata['dimension_separator'] as string)) throw new PreviewRefusal('damaged');
    return sizesOf(metadata['chunks'], 1);
  }
  const { name, configuration } = recordOf(metadata['chunk_grid']);
  if (name !== 'regular') throw new PreviewRefusal('extension', `the chunk grid ${textOf(name)}`);
  const keys = recordOf(metadata['chunk_key_encoding']);
  const { separator } = recordOf(keys['configuration']);
  if (!['default', 'v2'].includes(String(keys['name'])) || !['.', '/', undefined].includes(separator as string)) {
    throw new PreviewRefusal('extension', `the chunk keys ${textOf(keys['name'])}`);
  }
  if (listOf(metadata['storage_transformers']).length > 0)
    throw new PreviewRefusal('extension', 'storage transformers');
  return sizesOf(recordOf(configuration)['chunk_shape'], 1);
}

interface Codec {
  name: string;
  configuration: Json;
}

function codecsOf(metadata: Json, version: 2 | 3): Codec[] {
  if (version === 3) return listOf(metadata['codecs']).map(codecOf);
  const { compressor, filters } = metadata;
  return [...listOf(filters), ...(compressor === null || compressor === undefined ? [] : [compressor])].map(
    (stated) => {
      const { id, ...configuration } = recordOf(stated);
      // zarrita decodes the `fixedscaleoffset` filter as two codecs.
      return { name: id === 'fixedscaleoffset' ? 'scale_offset' : textOf(id), configuration };
    },
  );
}

function codecsInside({ codecs, index_codecs }: Json): Codec[] {
  return [...listOf(codecs), ...listOf(index_codecs)].map(codecOf);
}

function codecOf(stated: unknown): Codec {
  const { name, configuration } = recordOf(stated);
  return { name: textOf(name ?? stated), configuration: recordOf(configuration) };
}

function checkCodec({ name, configuration: { order } }: Codec, rank: number): void {
  if (!isReadableCodec(name)) throw new PreviewRefusal('codec', name);
  if (name !== 'transpose' || typeof order === 'string') return;
  const sorted = listOf(order).toSorted();
  if (sorted.length !== rank || sorted.some((axis, at) => axis !== at)) throw new PreviewRefusal('damaged');
}

/** Returns the sizes of dimensions. Throws PreviewRefusal unless each size is an integer of at least `smallest`. */
function sizesOf(stated: unknown, smallest: number): number[] {
  if (!Array.isArray(stated)) throw new PreviewRefusal('damaged');
  if (!stated.every((size) => Number.isSafeInteger(size) && size >= smallest)) throw new PreviewRefusal('damaged');
  return stated as number[];
}

export function productOf(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * size, 1);
}

/** Reads a file of metadata. Returns undefined if it does not exist. */
async function readJson(file: BoundedRanges, path: string): Promise<Json | undefined> {
  const bytes = await file.readNear(path, 0, metadataBytesMax + 1);
  if (bytes === undefined) return undefined;
  if (bytes.byteLength > metadataBytesMax) throw new PreviewRefusal('too-large-inside');
  return parse(bytes);
}

function parse(bytes: Uint8Array): Json {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new PreviewRefusal('damaged');
  }
  return recordOf(value);
}

function textOf(value: unknown): string {
  return cutText(cellOf(value) ?? '', nameMax);
}
