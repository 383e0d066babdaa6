import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { expect } from './steps.ts';

export interface Place {
  Bucket: string;
  Key: string;
}

export const partMebibytes = 8;

/** Reads the borders of the world's countries from Natural Earth, 3.7 MB. */
export async function readDataFile(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('world-atlas/countries-10m.json'));
}

/** Repeats the file until it is larger than one part. */
export function repeated(bytes: Uint8Array, times: number): Uint8Array {
  return Buffer.concat(Array<Uint8Array>(times).fill(bytes));
}

export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

export async function upload(client: S3Client, place: Place, bytes: Uint8Array): Promise<void> {
  await client.send(
    new PutObjectCommand({ ...place, Body: bytes, ContentType: 'application/json', ChecksumAlgorithm: 'SHA256' }),
  );
}

/** Returns the stored checksum, as the proxy returns it. */
export async function readStoredChecksum(client: S3Client, place: Place): Promise<string> {
  const { ChecksumSHA256 = '' } = await client.send(new HeadObjectCommand({ ...place, ChecksumMode: 'ENABLED' }));
  return Buffer.from(ChecksumSHA256, 'base64').toString('hex');
}

/** Lists all keys and sizes below a prefix. */
export async function list(client: S3Client, Bucket: string, Prefix: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
    for (const { Key = '', Size = 0 } of Contents) found.set(Key, Size);
  return found;
}

export async function read(client: S3Client, place: Place, Range?: string): Promise<Uint8Array> {
  const { Body } = await client.send(new GetObjectCommand({ ...place, Range }));
  expect(Body !== undefined, 'the answer has no body');
  return Body.transformToByteArray();
}

export async function readInRanges(client: S3Client, place: Place, size: number, count: number): Promise<Uint8Array> {
  const length = Math.ceil(size / count);
  const ranges = Array.from({ length: count }, (_, index) => {
    const start = index * length;
    return read(client, place, `bytes=${start}-${Math.min(start + length, size) - 1}`);
  });
  return Buffer.concat(await Promise.all(ranges));
}

/** Uploads in parts. Aborts a failed upload. */
export async function uploadInParts(client: S3Client, place: Place, bytes: Uint8Array): Promise<void> {
  await new Upload({ client, partSize: partMebibytes * 1024 * 1024, params: { ...place, Body: bytes } }).done();
}
