import {
  ListObjectsCommand,
  type ListObjectsCommandInput,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { at, attempt, type Call } from './call.ts';
import type { Side } from './sides.ts';

const names = [
  'a',
  'a/1',
  'a/2',
  'a/b/1',
  'a/b/2',
  'b+c/d e',
  'b+c/f&g',
  'b/1',
  'c',
  'c-d-e',
  'c-d-f',
  'é/ü',
  'z//double',
];

/** The folder of all list requests. The first request fills it. */
const folder = 'list/';

type Options<T> = Omit<T, 'Bucket' | 'Prefix'> & { prefix?: string; after?: string };

function list(title: string, { prefix = '', after, ...options }: Options<ListObjectsV2CommandInput>): Call {
  return {
    title: `lists: ${title}`,
    run: async (side) => {
      const Prefix = side.prefix + folder + prefix;
      const place = { Bucket: side.bucket, Prefix };
      const start = after === undefined ? undefined : side.prefix + folder + after;
      const StartAfter = start === undefined ? {} : { StartAfter: start };
      await attempt(side.s3.send(new ListObjectsV2Command({ ...place, ...options, ...StartAfter })));
      const { FetchOwner: _, ContinuationToken: __, ...ofVersion1 } = options;
      const Marker = start === undefined ? {} : { Marker: start };
      const input: ListObjectsCommandInput = { ...place, ...ofVersion1, ...Marker };
      await attempt(side.s3.send(new ListObjectsCommand(input)));
    },
  };
}

const prefixes = ['', 'a', 'a/', 'a/b', 'b+c/', 'c-', 'é', 'z/', 'none', 'b+c/d e'];
const delimiters = [undefined, '/', '-', '//', 'é'];
const sizes = [0, 1, 3, 13, 1000, 5000];
const starts = ['', 'a', 'a/', 'a/1', 'b+c/d e', 'c-d', 'é/ü', 'zz'];

const raw = (title: string, query: (side: Side) => Record<string, string>): Call => ({
  title: `lists: ${title}`,
  run: (side) => side.raw({ method: 'GET', query: query(side) }),
});
const folderOf = (side: Side) => side.prefix + folder;

export const lists: Call[] = [
  {
    title: 'lists: the folder is filled',
    run: async (side) => {
      // A storage that uses a file system refuses some of these names.
      for (const name of names) {
        await attempt(side.s3.send(new PutObjectCommand({ ...at(side, folder + name), Body: name })));
      }
    },
  },
  ...prefixes.flatMap((prefix) =>
    delimiters.map((Delimiter) =>
      list(`prefix ${prefix}, delimiter ${Delimiter ?? 'none'}`, { prefix, ...(Delimiter && { Delimiter }) }),
    ),
  ),
  ...sizes.flatMap((MaxKeys) => [
    list(`${MaxKeys} keys`, { MaxKeys }),
    list(`${MaxKeys} entries of folders`, { MaxKeys, Delimiter: '/' }),
  ]),
  ...starts.flatMap((after) => [
    list(`after ${after}`, { after }),
    list(`after ${after} of folders`, { after, Delimiter: '/', MaxKeys: 3 }),
  ]),
  list('encoded', { EncodingType: 'url', Delimiter: '/' }),
  list('encoded, after an odd name', { EncodingType: 'url', after: 'b+c/d e', MaxKeys: 2 }),
  list('with owners', { FetchOwner: true }),
  list('without owners', { FetchOwner: false }),
  ...[undefined, '/'].flatMap((Delimiter) =>
    [1, 2, 5].map(
      (pageSize): Call => ({
        title: `lists: all pages of ${pageSize}, delimiter ${Delimiter ?? 'none'}`,
        run: async (side) => {
          const input = { Bucket: side.bucket, Prefix: folderOf(side), ...(Delimiter && { Delimiter }) };
          for await (const _ of paginateListObjectsV2({ client: side.s3, pageSize }, input));
        },
      }),
    ),
  ),
  ...[undefined, '/'].map(
    (Delimiter): Call => ({
      title: `lists: all pages of version 1, delimiter ${Delimiter ?? 'none'}`,
      run: async (side) => {
        let Marker: string | undefined;
        do {
          const input = { Bucket: side.bucket, Prefix: folderOf(side), MaxKeys: 2, ...(Delimiter && { Delimiter }) };
          const page = await side.s3.send(new ListObjectsCommand({ ...input, ...(Marker && { Marker }) }));
          Marker = page.IsTruncated === true ? (page.NextMarker ?? page.Contents?.at(-1)?.Key) : undefined;
        } while (Marker !== undefined);
      },
    }),
  ),
  raw('max-keys that is none', (side) => ({ 'list-type': '2', prefix: folderOf(side), 'max-keys': 'x' })),
  raw('max-keys below 0', (side) => ({ prefix: folderOf(side), 'max-keys': '-1' })),
  raw('an encoding that is none', (side) => ({ prefix: folderOf(side), 'encoding-type': 'gzip' })),
  raw('a token that is none', (side) => ({ 'list-type': '2', prefix: folderOf(side), 'continuation-token': 'x' })),
  raw('empty parameters', (side) => ({ 'list-type': '2', prefix: folderOf(side), delimiter: '', 'max-keys': '' })),
  raw('fetch-owner that is neither', (side) => ({ 'list-type': '2', prefix: folderOf(side), 'fetch-owner': 'yes' })),
  ...[1, 5, 1000].flatMap((MaxKeys) =>
    [undefined, '/'].map(
      (Delimiter): Call => ({
        // On a bucket without versioning, versitygw repeats the first page forever.
        notBefore: 'versitygw',
        title: `lists: versions in pages of ${MaxKeys}, delimiter ${Delimiter ?? 'none'}`,
        run: async (side) => {
          const input = { Bucket: side.bucket, Prefix: folderOf(side), MaxKeys, ...(Delimiter && { Delimiter }) };
          let next: ListObjectVersionsCommandOutput | undefined;
          do {
            const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = next ?? {};
            next = await attempt(side.s3.send(new ListObjectVersionsCommand({ ...input, KeyMarker, VersionIdMarker })));
          } while (next?.IsTruncated === true);
        },
      }),
    ),
  ),
  raw('access control', () => ({ acl: '' })),
  raw('a policy', () => ({ policy: '' })),
  raw('a lifecycle', () => ({ lifecycle: '' })),
];
