import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
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

const at = (Key: string) => ({ Bucket: bucket, Key });

test('a restart loads objects and uploads, and nothing that was deleted', async () => {
  await opened.s3.send(new PutObjectCommand({ ...at('../stored'), Body: 'stored', Metadata: { a: 'b' } }));
  await opened.s3.send(new PutObjectCommand({ ...at('deleted'), Body: 'deleted' }));
  await opened.s3.send(new DeleteObjectCommand(at('deleted')));
  const { UploadId } = await opened.s3.send(new CreateMultipartUploadCommand(at('in parts')));
  const part = await opened.s3.send(
    new UploadPartCommand({ ...at('in parts'), UploadId, PartNumber: 1, Body: 'a part' }),
  );
  await opened.reopen();
  const { Contents } = await opened.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  expect(Contents?.map(({ Key }) => Key)).toEqual(['../stored']);
  const stored = await opened.s3.send(new GetObjectCommand(at('../stored')));
  expect([await stored.Body?.transformToString(), stored.Metadata]).toEqual(['stored', { a: 'b' }]);
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }];
  await opened.s3.send(new CompleteMultipartUploadCommand({ ...at('in parts'), UploadId, MultipartUpload: { Parts } }));
  await opened.reopen();
  const whole = await opened.s3.send(new GetObjectCommand(at('in parts')));
  expect(await whole.Body?.transformToString()).toBe('a part');
});

test('a restart drops a cut-off line of the index and files that no record names', async () => {
  await opened.s3.send(new PutObjectCommand({ ...at('stored'), Body: 'stored' }));
  const [stored = ''] = await opened.blobFiles();
  const root = join(opened.directory, bucket);
  await writeFile(join(root, 'blobs', 'half-an-upload'), 'x');
  await appendFile(join(root, 'index.jsonl'), '{"object":{"key":"half');
  await opened.reopen();
  await opened.s3.send(new PutObjectCommand({ ...at('next'), Body: 'next' }));
  await opened.reopen();
  expect(await opened.blobFiles()).toHaveLength(2);
  expect(await opened.blobFiles()).toContain(stored);
  expect(await readdir(root)).toEqual(['blobs', 'index.jsonl']);
});

test('an unreadable line of the index stops the start with its path', async () => {
  const index = join(opened.directory, bucket, 'index.jsonl');
  const text = await readFile(index);
  await writeFile(index, '{"object":{}}\n');
  await expect(opened.reopen()).rejects.toThrow(index);
  await writeFile(index, text);
  await opened.reopen();
});

test.each([['..'], ['a/b'], ['UPPER'], ['']])('the store refuses the bucket name %j', async (name) => {
  const options = { port: 0, directory: opened.directory, credentials, clock: Date.now };
  await expect(startObjectStore({ ...options, buckets: [name] })).rejects.toThrow('not a bucket name');
});
