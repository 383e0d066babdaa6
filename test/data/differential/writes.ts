import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  ChecksumAlgorithm,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectTaggingCommand,
  type StorageClass,
} from '@aws-sdk/client-s3';
import { at, attempt, type Call, otherETag, text, textETag } from './call.ts';
import type { Side } from './sides.ts';

type PutOptions = Omit<PutObjectCommandInput, 'Bucket' | 'Key'>;

async function readBack({ s3, ...rest }: Side, name: string): Promise<void> {
  const place = at({ s3, ...rest }, name);
  await attempt(s3.send(new GetObjectCommand({ ...place, ChecksumMode: 'ENABLED' })));
  await attempt(s3.send(new HeadObjectCommand({ ...place, ChecksumMode: 'ENABLED' })));
  await attempt(s3.send(new GetObjectTaggingCommand(place)));
}

/** Writes an object and reads it afterwards. */
function put(title: string, options: PutOptions | (() => PutOptions), before?: string): Call {
  return {
    title: `PutObject: ${title}`,
    run: async (side) => {
      const name = `put/${title}`;
      if (before !== undefined) await side.s3.send(new PutObjectCommand({ ...at(side, name), Body: before }));
      const input = typeof options === 'function' ? options() : options;
      await attempt(side.s3.send(new PutObjectCommand({ ...at(side, name), Body: text, ...input })));
      await readBack(side, name);
    },
  };
}

function rawPut(title: string, headers: Record<string, string>, body = text): Call {
  return {
    title: `PUT: ${title}`,
    run: async (side) => {
      await side.raw({ method: 'PUT', key: `raw/${title}`, headers, body });
      await readBack(side, `raw/${title}`);
    },
  };
}

const described: [string, PutOptions][] = [
  ['nothing', {}],
  ['an empty body', { Body: '' }],
  ['a type', { ContentType: 'text/csv; charset=utf-8' }],
  ['a language', { ContentLanguage: 'de, en' }],
  ['a coding', { ContentEncoding: 'gzip' }],
  ['two codings', { ContentEncoding: 'gzip, identity' }],
  ['a disposition', { ContentDisposition: `attachment; filename="a'b.csv"` }],
  ['cache control', { CacheControl: 'public, max-age=60' }],
  ['an expiry', { Expires: new Date('2031-01-01T00:00:00Z') }],
  ['metadata', { Metadata: { station: 'brest', 'unit-of-level': 'mm', Mixed: 'Case' } }],
  ['metadata with spaces', { Metadata: { a: ' b  c ', d: '"e", f;g=h' } }],
  ['metadata of 2 KB', { Metadata: { a: 'x'.repeat(2047) } }],
  ['metadata of more than 2 KB', { Metadata: { a: 'x'.repeat(2048) } }],
  ['tags', { Tagging: 'a=b&c=d%20e&f=' }],
  ['a tag there twice', { Tagging: 'a=b&a=c' }],
  ['eleven tags', { Tagging: Array.from({ length: 11 }, (_, index) => `t${index}=x`).join('&') }],
  ['a private ACL', { ACL: 'private' }],
  ['an ACL for the owner of the bucket', { ACL: 'bucket-owner-full-control' }],
  ['If-None-Match where nothing is', { IfNoneMatch: '*' }],
  ['If-Match where nothing is', { IfMatch: textETag }],
  ['a class that is none', { StorageClass: 'NO_SUCH_CLASS' as StorageClass }],
];

const storageClasses = ['STANDARD', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR'] as const;
const checksums = ['CRC32', 'CRC32C', 'SHA1', 'SHA256', 'CRC64NVME'] as const;

/**
 * Checksums of the text by algorithms that the SDK does not use by default. xxHash 0.8 computed XXH64 and XXH3, most
 * significant byte first.
 */
const furtherChecksums: [algorithm: string, value: string][] = [
  ['md5', hash('md5', text, 'base64')],
  ['sha512', hash('sha512', text, 'base64')],
  ['xxhash64', 'P1/BeKgYZ+c='],
  ['xxhash3', 'beNDGwX3wR8='],
  ['xxhash128', '41NmdhnsZktJZV/JaSFl+w=='],
];
const ofSomethingElse = (value: string) => Buffer.alloc(Buffer.from(value, 'base64').length).toString('base64');

const overwrites: [string, PutOptions][] = [
  ['If-None-Match over something', { IfNoneMatch: '*' }],
  ['If-Match of what is there', { IfMatch: textETag }],
  ['If-Match of something else', { IfMatch: otherETag }],
];

/** Literal object names. Each is written, read, listed, described, and deleted. */
const oddNames = [
  'space in it',
  ' leading and trailing ',
  'plus+and%percent',
  'already%2Fencoded',
  'equals=level=3/at@:colon',
  'ümläut/é',
  '日本語/ключ',
  '😀 emoji',
  'quotes"and\'apostrophes',
  '<xml>&amp;</xml>',
  'a//b///c',
  '/leading slash',
  'trailing slash/',
  'back\\slash',
  "!()*'~._-",
  '?question#hash',
  'semi;colon,comma$dollar',
  '[brackets]{braces}^`|',
  'tab\tand\u0001control',
  'new\nline\rreturn',
  'dots.../..a/.hidden',
  'sck_ is only the beginning',
  'x'.repeat(200),
];

const oddName = (name: string): Call => ({
  title: `a key named ${JSON.stringify(name)}`,
  run: async (side) => {
    const { s3 } = side;
    const place = at(side, `odd/${name}`);
    await attempt(s3.send(new PutObjectCommand({ ...place, Body: name, ContentType: 'text/plain' })));
    await readBack(side, `odd/${name}`);
    const list = { Bucket: side.bucket, Prefix: `${side.prefix}odd/${name}` };
    await attempt(s3.send(new ListObjectsV2Command({ ...list, EncodingType: 'url' })));
    if (!/[\u0000-\u001f]/.test(name)) await attempt(s3.send(new ListObjectsV2Command(list)));
    const Objects = [{ Key: place.Key }];
    await attempt(s3.send(new DeleteObjectsCommand({ Bucket: side.bucket, Delete: { Objects } })));
    await attempt(s3.send(new HeadObjectCommand(place)));
  },
});

const tagSets: [string, { Key: string; Value: string }[]][] = [
  ['none', []],
  ['one', [{ Key: 'a', Value: 'b' }]],
  ['odd ones', [{ Key: 'a b+c', Value: 'd/e=f@g:h' }]],
  ['eleven', Array.from({ length: 11 }, (_, index) => ({ Key: `t${index}`, Value: 'x' }))],
  ['one there twice', ['b', 'c'].map((Value) => ({ Key: 'a', Value }))],
  ['an empty key', [{ Key: '', Value: 'b' }]],
  ['a long value', [{ Key: 'a', Value: 'x'.repeat(257) }]],
];

export const writes: Call[] = [
  ...described.map(([title, options]) => put(title, options)),
  ...storageClasses.map((StorageClass) => put(`class ${StorageClass}`, { StorageClass })),
  ...checksums.map((name) => put(`checksum ${name}`, { ChecksumAlgorithm: ChecksumAlgorithm[name] })),
  ...overwrites.map(([title, options]) => put(title, options, text)),
  put('a stream of known length', () => ({ Body: Readable.from([text]), ContentLength: text.length })),
  rawPut('an MD5 that is right', { 'content-md5': 'eB5eJF1ptWaXm4bijSPyxw==' }),
  rawPut('an MD5 of something else', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }),
  rawPut('an MD5 that is none', { 'content-md5': 'x' }),
  rawPut('a CRC32 that is right', { 'x-amz-checksum-crc32': 'poTHxg==' }),
  rawPut('a CRC32 of something else', { 'x-amz-checksum-crc32': 'AAAAAA==' }),
  rawPut('a CRC32 that is none', { 'x-amz-checksum-crc32': '?' }),
  ...furtherChecksums.flatMap(([algorithm, value]) => [
    rawPut(`a checksum ${algorithm} that is right`, { [`x-amz-checksum-${algorithm}`]: value }),
    rawPut(`a checksum ${algorithm} of something else`, { [`x-amz-checksum-${algorithm}`]: ofSomethingElse(value) }),
  ]),
  rawPut('two checksums', { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-sha1': 'AAAA' }),
  rawPut('a body without a signed hash', { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }),
  rawPut('the hash of something else', { 'x-amz-content-sha256': 'a'.repeat(64) }),
  rawPut('If-None-Match of one', { 'if-none-match': textETag }),
  rawPut('a request payer', { 'x-amz-request-payer': 'requester' }),
  rawPut('tags that are none', { 'x-amz-tagging': '%' }),
  ...oddNames.map(oddName),
  ...tagSets.map(
    ([title, TagSet]): Call => ({
      title: `PutObjectTagging: ${title}`,
      run: async (side) => {
        const place = at(side, `tagged/${title}`);
        await side.s3.send(new PutObjectCommand({ ...place, Body: text, Tagging: 'before=x' }));
        await attempt(side.s3.send(new PutObjectTaggingCommand({ ...place, Tagging: { TagSet } })));
        await readBack(side, `tagged/${title}`);
        await attempt(side.s3.send(new DeleteObjectTaggingCommand(place)));
        await attempt(side.s3.send(new GetObjectTaggingCommand(place)));
      },
    }),
  ),
  {
    title: 'tags of nothing',
    run: async (side) => {
      const place = at(side, 'absent');
      await attempt(side.s3.send(new GetObjectTaggingCommand(place)));
      await attempt(side.s3.send(new DeleteObjectTaggingCommand(place)));
      await attempt(side.s3.send(new PutObjectTaggingCommand({ ...place, Tagging: { TagSet: [] } })));
    },
  },
  {
    title: 'DeleteObject of something, then of nothing',
    run: async (side) => {
      const place = at(side, 'to be deleted');
      await side.s3.send(new PutObjectCommand({ ...place, Body: text }));
      for (let time = 0; time < 2; time += 1) await attempt(side.s3.send(new DeleteObjectCommand(place)));
    },
  },
  ...Object.entries({ 'what it is': textETag, 'what it is not': otherETag, anything: '*' }).map(
    ([title, IfMatch]): Call => ({
      title: `DeleteObject: if it is ${title}`,
      run: async (side) => {
        const place = at(side, `deleted if ${title}`);
        await side.s3.send(new PutObjectCommand({ ...place, Body: text }));
        await attempt(side.s3.send(new DeleteObjectCommand({ ...place, IfMatch })));
        await attempt(side.s3.send(new HeadObjectCommand(place)));
      },
    }),
  ),
  ...[undefined, true].map(
    (Quiet): Call => ({
      title: `DeleteObjects${Quiet === true ? ', quietly' : ''}`,
      run: async (side) => {
        const names = ['many/a', 'many/b c+d', 'many/é&<>'];
        for (const name of names) await side.s3.send(new PutObjectCommand({ ...at(side, name), Body: text }));
        const Objects = [...names, 'many/never there'].map((name) => ({ Key: side.prefix + name }));
        const Delete = { Objects, ...(Quiet === undefined ? {} : { Quiet }) };
        await attempt(side.s3.send(new DeleteObjectsCommand({ Bucket: side.bucket, Delete })));
        await attempt(side.s3.send(new ListObjectsV2Command({ Bucket: side.bucket, Prefix: `${side.prefix}many/` })));
      },
    }),
  ),
  {
    title: 'DeleteObjects: only what has the ETag',
    run: async (side) => {
      const names = { 'etag/same': textETag, 'etag/other': otherETag, 'etag/any': '*' };
      const Objects = Object.entries(names).map(([name, ETag]) => ({ Key: side.prefix + name, ETag }));
      for (const { Key } of Objects) await side.s3.send(new PutObjectCommand({ Bucket: side.bucket, Key, Body: text }));
      await attempt(side.s3.send(new DeleteObjectsCommand({ Bucket: side.bucket, Delete: { Objects } })));
      await attempt(side.s3.send(new ListObjectsV2Command({ Bucket: side.bucket, Prefix: `${side.prefix}etag/` })));
    },
  },
  ...(
    [
      ['a right MD5', (body) => ({ 'content-md5': hash('md5', body, 'base64') })],
      ['an MD5 of something else', () => ({ 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' })],
      ['an MD5 that is none', () => ({ 'content-md5': 'x' })],
      ['a right SHA-256', (body) => ({ 'x-amz-checksum-sha256': hash('sha256', body, 'base64') })],
      ['a SHA-1 of something else', () => ({ 'x-amz-checksum-sha1': `${'A'.repeat(27)}=` })],
      ['a CRC32 of something else', () => ({ 'x-amz-checksum-crc32': 'AAAAAA==' })],
      ['a CRC32 that is none', () => ({ 'x-amz-checksum-crc32': '?' })],
    ] satisfies [string, (body: string) => Record<string, string>][]
  ).map(
    ([title, headersOf]): Call => ({
      title: `DeleteObjects with ${title}`,
      run: async (side) => {
        const place = at(side, `digest/${title}`);
        await side.s3.send(new PutObjectCommand({ ...place, Body: text }));
        const body = `<Delete><Object><Key>${place.Key}</Key></Object></Delete>`;
        await side.raw({ method: 'POST', query: { delete: '' }, headers: headersOf(body), body });
        await attempt(side.s3.send(new HeadObjectCommand(place)));
      },
    }),
  ),
  {
    title: 'DeleteObjects of no XML',
    run: (side) => {
      const headers = { 'content-md5': 'ndTkYSaMgDT1yFZOFVxnpg==' };
      return side.raw({ method: 'POST', query: { delete: '' }, headers, body: 'x' });
    },
  },
];
