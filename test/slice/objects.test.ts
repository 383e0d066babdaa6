import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { s3Client, signIn } from '../service/data-clients.ts';
import { seededBytes } from '../service/seeded-random.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

let service: SeededService;
let s3: S3Client;
beforeAll(async () => {
  service = await startSeededService();
  s3 = s3Client(service, await signIn(service, service.key));
});
afterAll(async () => {
  s3.destroy();
  await service.close();
});

const Bucket = 'tide-institute';

async function put(Key: string, Body: string | Uint8Array = Key) {
  await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
}

async function read(Key: string, Range?: string): Promise<string> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...(Range === undefined ? {} : { Range }) }));
  return (await Body?.transformToString()) ?? '';
}

async function listKeys(Prefix: string): Promise<(string | undefined)[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
  return Contents.map(({ Key }) => Key);
}

test('an object keeps its metadata, type and cache control', async () => {
  const Key = 'raw-drafts/readings.csv';
  const kept = {
    ContentType: 'text/csv',
    CacheControl: 'max-age=60',
    ContentDisposition: 'attachment; filename="r.csv"',
    Metadata: { station: 'brest', unit: 'mm' },
  };
  const written = await s3.send(new PutObjectCommand({ Bucket, Key, Body: '0123456789', ...kept }));
  const expected = { ...kept, ETag: written.ETag, ContentLength: 10, LastModified: expect.any(Date) };
  expect(await s3.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject(expected);
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  expect(got).toMatchObject(expected);
  expect(await got.Body?.transformToString()).toBe('0123456789');
});

test.each([
  ['bytes=2-4', '234', 'bytes 2-4/10'],
  ['bytes=7-', '789', 'bytes 7-9/10'],
  ['bytes=-3', '789', 'bytes 7-9/10'],
])('the range %s of an object is %s', async (Range, text, ContentRange) => {
  const Key = 'raw-drafts/ranges';
  await put(Key, '0123456789');
  const got = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
  expect(got).toMatchObject({ ContentRange, ContentLength: 3, $metadata: { httpStatusCode: 206 } });
  expect(await got.Body?.transformToString()).toBe(text);
});

test('a range outside the object is refused', async () => {
  await put('raw-drafts/short', 'short');
  await expect(read('raw-drafts/short', 'bytes=5-')).rejects.toMatchObject({
    name: 'InvalidRange',
    $metadata: { httpStatusCode: 416 },
  });
});

test('a stream of known length is stored whole', async () => {
  const body = seededBytes(300_000);
  const Body = Readable.from([body.subarray(0, 100_000), body.subarray(100_000)]);
  const Key = 'raw-drafts/streamed';
  await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength: body.length }));
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
});

test('a list has the objects and folders below a prefix, page by page', async () => {
  const names = ['2025/a', '2025/b', '2026/a', 'about', 'index', 'zone/x'];
  for (const name of names) await put(`tide-gauges/list/${name}`);
  await put('tide-gauges/listless');

  const whole = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'tide-gauges/list/', Delimiter: '/' }));
  expect(whole).toMatchObject({ Name: Bucket, KeyCount: 5, IsTruncated: false });
  expect(whole.Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([
    ['tide-gauges/list/about', 22],
    ['tide-gauges/list/index', 22],
  ]);
  expect(whole.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual([
    'tide-gauges/list/2025/',
    'tide-gauges/list/2026/',
    'tide-gauges/list/zone/',
  ]);

  const pages: unknown[][] = [];
  for await (const page of paginateListObjectsV2(
    { client: s3, pageSize: 2 },
    { Bucket, Prefix: 'tide-gauges/list/' },
  )) {
    pages.push((page.Contents ?? []).map(({ Key }) => Key));
  }
  const keys = names.map((name) => `tide-gauges/list/${name}`);
  expect(pages).toEqual([keys.slice(0, 2), keys.slice(2, 4), keys.slice(4)]);
});

test('an upload of more than 20 MB in parts comes back byte by byte', { timeout: 60_000 }, async () => {
  const body = seededBytes(21 * 1024 * 1024 + 7);
  const Key = 'raw-drafts/large.bin';
  const partSize = 8 * 1024 * 1024;
  const params = { Bucket, Key, Body: Readable.from([body]), ContentType: 'application/x-tides' };
  const done = await new Upload({ client: s3, params, partSize, queueSize: 2 }).done();
  expect(done).toMatchObject({ Bucket, Key, ETag: expect.stringMatching(/^"[0-9a-f]{32}-3"$/) });

  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  expect(got).toMatchObject({ ContentLength: body.length, ContentType: 'application/x-tides', ETag: done.ETag });
  const hash = createHash('sha256');
  for await (const chunk of got.Body as Readable) hash.update(chunk);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
  const [from, to] = [partSize - 2, partSize + 1];
  const across = await s3.send(new GetObjectCommand({ Bucket, Key, Range: `bytes=${from}-${to}` }));
  expect(Buffer.from((await across.Body?.transformToByteArray()) ?? [])).toEqual(body.subarray(from, to + 1));
});

test('an object is copied, and copied from one repository to the other', async () => {
  await put('raw-drafts/copy source', 'copied');
  for (const Key of ['raw-drafts/copies/a', 'tide-gauges/copies/a']) {
    const copied = await s3.send(
      new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/raw-drafts/copy%20source` }),
    );
    expect(copied.CopyObjectResult?.ETag).toBe(`"${createHash('md5').update('copied').digest('hex')}"`);
    expect(await read(Key)).toBe('copied');
  }
});

test('objects are deleted, one or many at a time, also when they are not there', async () => {
  for (const name of ['a', 'b', 'c']) await put(`raw-drafts/gone/${name}`);
  const one = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'raw-drafts/gone/a' }));
  expect(one.$metadata.httpStatusCode).toBe(204);
  await expect(read('raw-drafts/gone/a')).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(await listKeys('raw-drafts/gone/')).toEqual(['raw-drafts/gone/b', 'raw-drafts/gone/c']);

  const Objects = [{ Key: 'raw-drafts/gone/b' }, { Key: 'raw-drafts/gone/c' }, { Key: 'raw-drafts/gone/never' }];
  const many = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(many.Deleted).toEqual(Objects);
  expect(many.Errors).toBeUndefined();
  expect(await listKeys('raw-drafts/gone/')).toEqual([]);
});

test('many are deleted in several repositories at a time; those that may not be are told beside them', async () => {
  const keys = ['raw-drafts/many/a', 'tide-gauges/many/b', 'raw-drafts/many/c'];
  for (const Key of keys) await put(Key);
  const Objects = [...keys, 'not-granted/d'].map((Key) => ({ Key }));
  const { Deleted = [], Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(Deleted.map(({ Key }) => Key).sort()).toEqual(keys.toSorted());
  expect(Errors).toMatchObject([{ Key: 'not-granted/d', Code: 'AccessDenied' }]);
  expect([...(await listKeys('raw-drafts/many/')), ...(await listKeys('tide-gauges/many/'))]).toEqual([]);
});

test.each([
  ['UTF-8 with plus, percent, equals and spaces', 'Küste/日本 + 50%25=½ &?#.csv'],
  ['an emoji and quotes', `😀 "it's" <x>`],
  ['two slashes', 'a//b'],
  ['a slash at its start and end', '/a/'],
  ['dots that are no segments', '.../..a/b../.c'],
])('a key of %s is what it is: written, described, read, listed, deleted', async (_, name) => {
  const Key = `raw-drafts/keys/${name}`;
  await put(Key, name);
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength).toBe(Buffer.byteLength(name));
  expect(await read(Key)).toBe(name);
  expect(await listKeys('raw-drafts/keys/')).toEqual([Key]);
  await s3.send(new CopyObjectCommand({ Bucket, Key: `${Key}2`, CopySource: encodeURIComponent(`${Bucket}/${Key}`) }));
  expect(await read(`${Key}2`)).toBe(name);
  const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: `${Key}2` }] } }));
  expect(Deleted).toEqual([{ Key: `${Key}2` }]);
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await expect(read(Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(await listKeys('raw-drafts/keys/')).toEqual([]);
});
