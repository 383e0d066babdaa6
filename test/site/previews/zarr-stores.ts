import type { ReadingLimits } from '../../../lib/pages/site/previews/scripted.ts';
import { type BoundedRanges, boundedRanges } from '../../../site/previews/reading/ranges.ts';

/** The files of a folder. A function creates the bytes of a file, or returns undefined if the file does not exist. */
export type Folder = Readonly<Record<string, Uint8Array | undefined>> | ((path: string) => Uint8Array | undefined);

/** The requests for other files of a folder: the path, and the number of bytes in the answer. */
export type Asked = [path: string, bytes: number][];

/** Opens a file of a folder, with the limits of a preview. */
export function openIn(folder: Folder, opened: string, limits: ReadingLimits): BoundedRanges & { asked: Asked } {
  const find = (path: string) => (typeof folder === 'function' ? folder(path) : folder[path]);
  const root = find(opened) ?? new Uint8Array();
  const asked: Asked = [];
  const file = boundedRanges(
    {
      readRange: async (start, end) => Uint8Array.from(root.subarray(start, end)),
      folder: {
        sizeOf: async (path) => {
          asked.push([path, 0]);
          return find(path)?.byteLength;
        },
        list: async (path) => {
          asked.push([`${path}/`, 0]);
          return foldersIn(typeof folder === 'function' ? [] : Object.keys(folder), path);
        },
        read: async (path, start, end, claim) => {
          const part = find(path)?.subarray(start, end);
          claim(part?.byteLength ?? 0);
          asked.push([path, part?.byteLength ?? 0]);
          return part && Uint8Array.from(part);
        },
      },
    },
    root.byteLength,
    limits,
  );
  return { ...file, asked };
}

/** Returns the folders directly below a folder. */
export function foldersIn(keys: readonly string[], folder: string) {
  const prefix = folder === '' ? '' : `${folder}/`;
  const below = keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length).split('/'));
  return {
    names: [...new Set(below.flatMap(([name = '', ...rest]) => (rest.length > 0 ? [name] : [])))],
    hasMore: false,
  };
}

export function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns the metadata of an array of Zarr 3 without compression. */
export function arrayOf(
  shape: readonly number[],
  chunks: readonly number[],
  more: object = {},
): Record<string, unknown> {
  return {
    zarr_format: 3,
    node_type: 'array',
    shape,
    data_type: 'float32',
    chunk_grid: { name: 'regular', configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    codecs: [{ name: 'bytes', configuration: { endian: 'little' } }],
    attributes: {},
    ...more,
  };
}

/** Returns the metadata of a group of Zarr 3 with a list of its arrays. */
export function groupOf(arrays: Readonly<Record<string, unknown>>, attributes: object = {}): Record<string, unknown> {
  const consolidated = { kind: 'inline', must_understand: false, metadata: arrays };
  return { zarr_format: 3, node_type: 'group', attributes, consolidated_metadata: consolidated };
}

export function floats(length: number, valueAt: (index: number) => number): Uint8Array {
  return new Uint8Array(Float32Array.from({ length }, (_, index) => valueAt(index)).buffer);
}

/**
 * Returns a store of a cube whose values are `100 × time + 10 × row + column`, with coordinates. The last time has no
 * file.
 */
export function cube(more: object = {}): Record<string, Uint8Array> {
  const axis = (name: string, size: number, attributes: object = {}) =>
    arrayOf([size], [size], { dimension_names: [name], attributes });
  return {
    'zarr.json': jsonBytes(
      groupOf({
        time: axis('time', 3, { units: 'days since 2026-01-30', calendar: 'standard' }),
        lat: axis('lat', 4),
        air: arrayOf([3, 4, 5], [1, 4, 5], {
          dimension_names: ['time', 'lat', 'lon'],
          attributes: { units: 'K', long_name: 'air temperature' },
          ...more,
        }),
      }),
    ),
    'time/c/0': floats(3, (index) => index),
    'lat/c/0': floats(4, (index) => 10 + index),
    ...Object.fromEntries(
      [0, 1].map((time) => [
        `air/c/${time}/0/0`,
        floats(20, (index) => 100 * time + 10 * Math.floor(index / 5) + (index % 5)),
      ]),
    ),
  };
}

export const emptyGroup = { zarr_format: 3, node_type: 'group', attributes: {} };

/** Returns the store of `cube` without a list of its arrays. The arrays are below the given path in the store. */
export function unlistedCube(below = ''): Record<string, Uint8Array> {
  const { 'zarr.json': listed, ...chunks } = cube();
  const { consolidated_metadata } = JSON.parse(new TextDecoder().decode(listed));
  const arrays = Object.entries<object>(consolidated_metadata.metadata).map(
    ([name, node]) => [`${name}/zarr.json`, jsonBytes(node)] as const,
  );
  const files = [['zarr.json', jsonBytes(emptyGroup)] as const, ...arrays, ...Object.entries(chunks)];
  return {
    'zarr.json': jsonBytes(emptyGroup),
    ...Object.fromEntries(files.map(([name, bytes]) => [below + name, bytes])),
  };
}

/** A cube of 4 GB without compression. All chunks have the same content. */
export const largeCube = {
  metadata: (more: object = {}): Record<string, unknown> => arrayOf([1000, 1000, 1000], [1, 500, 500], more),
  chunk: floats(500 * 500, (index) => index % 500),
  chunkPaths: Array.from({ length: 4000 }, (_, index) => `c/${index >> 2}/${(index >> 1) & 1}/${index & 1}`),
};
