import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { expect, test } from 'vitest';
import { s3Client, signIn } from '../service/data-clients.ts';
import { seededBytes } from '../service/seeded-random.ts';
import { seededService } from '../service/seeded-service.ts';

/** Objects through a stock SDK, beyond what `npm run verify` checks of every deployment (`test/bin/verify.test.ts`). */

const service = await seededService();
const s3 = s3Client(service, await signIn(service, service.key));
const Bucket = 'tide-institute';

const put = (Key: string, Body: string = Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body }));

async function read(Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

async function listKeys(Prefix: string): Promise<(string | undefined)[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
  return Contents.map(({ Key }) => Key);
}

test('a stream of unknown length is uploaded in parts, and a range across two parts is read', {
  timeout: 60_000,
}, async () => {
  const body = seededBytes(21 * 1024 * 1024 + 7);
  const Key = 'raw-drafts/large.bin';
  const partSize = 8 * 1024 * 1024;
  const params = { Bucket, Key, Body: Readable.from([body]), ContentType: 'application/x-tides' };
  const done = await new Upload({ client: s3, params, partSize, queueSize: 2 }).done();
  expect(done).toMatchObject({ Bucket, Key, ETag: expect.stringMatching(/^"[0-9a-f]{32}-3"$/) });
  expect(await s3.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject({
    ContentLength: body.length,
    ContentType: 'application/x-tides',
    ETag: done.ETag,
  });
  expect((await read(Key)).equals(body)).toBe(true);
  const [from, to] = [partSize - 2, partSize + 1];
  expect(await read(Key, `bytes=${from}-${to}`)).toEqual(body.subarray(from, to + 1));
});

test('one request deletes objects in several repositories, accepts missing ones, and names refused ones', async () => {
  const keys = ['raw-drafts/many/a', 'tide-gauges/many/b', 'raw-drafts/many/c'];
  for (const Key of keys) await put(Key);
  const Objects = [...keys, 'raw-drafts/many/never', 'not-granted/d'].map((Key) => ({ Key }));
  const { Deleted = [], Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(Deleted.map(({ Key }) => Key).sort()).toEqual([...keys, 'raw-drafts/many/never'].sort());
  expect(Errors).toMatchObject([{ Key: 'not-granted/d', Code: 'AccessDenied' }]);
  expect([...(await listKeys('raw-drafts/many/')), ...(await listKeys('tide-gauges/many/'))]).toEqual([]);
});

test.each([
  ['UTF-8 with plus, percent, equals and spaces', 'Küste/日本 + 50%25=½ &?#.csv'],
  ['an emoji and quotes', `😀 "it's" <x>`],
  ['two slashes', 'a//b'],
  ['a slash at its start and end', '/a/'],
  ['dots that are no segments', '.../..a/b../.c'],
])('a key of %s stays unchanged in a write, HEAD, read, list, and deletion', async (_, name) => {
  const Key = `raw-drafts/keys/${name}`;
  await put(Key, name);
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength).toBe(Buffer.byteLength(name));
  expect(String(await read(Key))).toBe(name);
  expect(await listKeys('raw-drafts/keys/')).toEqual([Key]);
  await s3.send(new CopyObjectCommand({ Bucket, Key: `${Key}2`, CopySource: encodeURIComponent(`${Bucket}/${Key}`) }));
  expect(String(await read(`${Key}2`))).toBe(name);
  const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: `${Key}2` }] } }));
  expect(Deleted).toEqual([{ Key: `${Key}2` }]);
  const deleted = await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  expect(deleted.$metadata.httpStatusCode).toBe(204);
  await expect(read(Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(await listKeys('raw-drafts/keys/')).toEqual([]);
});
