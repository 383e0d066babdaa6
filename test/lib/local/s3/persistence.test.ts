import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startObjectStore } from '../../../../lib/local/s3/server.ts';
import { bucket, credentials, type OpenStore, openStore } from './open-store.ts';

let opened: OpenStore;
beforeEach(async () => {
  opened = await openStore();
});
afterEach(() => opened.close());

const address = (Key: string) => ({ Bucket: bucket, Key });

test('objects and uploads are there after a restart, deleted ones are not', async () => {
  await opened.s3.send(new PutObjectCommand({ ...address('../kept'), Body: 'kept', Metadata: { a: 'b' } }));
  await opened.s3.send(new PutObjectCommand({ ...address('deleted'), Body: 'deleted' }));
  await opened.s3.send(new DeleteObjectCommand(address('deleted')));
  const { UploadId } = await opened.s3.send(new CreateMultipartUploadCommand(address('in parts')));
  const part = await opened.s3.send(
    new UploadPartCommand({ ...address('in parts'), UploadId, PartNumber: 1, Body: 'a part' }),
  );
  await opened.reopen();
  const { Contents } = await opened.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  expect(Contents?.map(({ Key }) => Key)).toEqual(['../kept']);
  const kept = await opened.s3.send(new GetObjectCommand(address('../kept')));
  expect([await kept.Body?.transformToString(), kept.Metadata]).toEqual(['kept', { a: 'b' }]);
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }];
  await opened.s3.send(
    new CompleteMultipartUploadCommand({ ...address('in parts'), UploadId, MultipartUpload: { Parts } }),
  );
  await opened.reopen();
  const whole = await opened.s3.send(new GetObjectCommand(address('in parts')));
  expect(await whole.Body?.transformToString()).toBe('a part');
});

test('what a crash left unfinished is cleared away at the next start', async () => {
  await opened.s3.send(new PutObjectCommand({ ...address('kept'), Body: 'kept' }));
  const [kept = ''] = await opened.blobFiles();
  const root = join(opened.directory, bucket);
  await writeFile(join(root, 'blobs', kept.slice(0, 2), 'half-an-upload'), 'x');
  await writeFile(join(root, 'objects', 'record.json.new'), '{"half');
  await opened.reopen();
  expect(await opened.blobFiles()).toEqual([kept]);
  expect((await readdir(join(root, 'objects'))).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('an upload whose object was written just before a crash does not come back to take the bytes away', async () => {
  const { UploadId } = await opened.s3.send(new CreateMultipartUploadCommand(address('done')));
  const part = await opened.s3.send(
    new UploadPartCommand({ ...address('done'), UploadId, PartNumber: 1, Body: 'bytes' }),
  );
  const uploads = join(opened.directory, bucket, 'uploads', UploadId ?? '');
  const { readFile, mkdir } = await import('node:fs/promises');
  const files = await Promise.all(
    (await readdir(uploads)).map(async (name) => [name, await readFile(join(uploads, name))] as const),
  );
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }];
  await opened.s3.send(
    new CompleteMultipartUploadCommand({ ...address('done'), UploadId, MultipartUpload: { Parts } }),
  );
  await mkdir(uploads);
  for (const [name, content] of files) await writeFile(join(uploads, name), content);
  await opened.reopen();
  await expect(readdir(uploads)).rejects.toThrow('ENOENT');
  const object = await opened.s3.send(new GetObjectCommand(address('done')));
  expect(await object.Body?.transformToString()).toBe('bytes');
});

test('a record that is not one of ours stops the start with its name', async () => {
  const path = join(opened.directory, bucket, 'objects', 'broken.json');
  await writeFile(path, '{}');
  await expect(opened.reopen()).rejects.toThrow(path);
  await rm(path);
  await opened.reopen();
});

test.each([['..'], ['a/b'], ['UPPER'], ['']])('a bucket cannot be called %j', async (name) => {
  const options = { host: '127.0.0.1', port: 0, directory: opened.directory, credentials, clock: Date.now } as const;
  await expect(startObjectStore({ ...options, buckets: [name] })).rejects.toThrow('not a bucket name');
});

test('a port that is taken is refused', async () => {
  const { port } = opened.store;
  const options = { host: '127.0.0.1', port, directory: opened.directory, credentials, clock: Date.now } as const;
  await expect(startObjectStore({ ...options, buckets: [bucket] })).rejects.toThrow(`Port ${port}`);
});
