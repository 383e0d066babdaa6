import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type Checks, expect, expectEqual, refusalOf, Skipped } from './checks.ts';
import { type Credentials, s3Client, signIn } from './deployment.ts';
import type { Fixture } from './fixture.ts';
import { presign, sendSigned } from './wire.ts';

const oddNames = ['a//b', 'plus+sign', 'per%2Fcent', 'two words', 'equals=sign', 'größe-大きさ', "quote'(1)*!"];
const mebibyte = 1024 * 1024;
const partBytes = 5 * mebibyte;

/** Checks every operation on objects as the service account, in its private repository. */
export async function checkObjects(checks: Checks, fixture: Fixture): Promise<void> {
  const { deployment, serviceAccountId, key, openRepositoryId, privateRepositoryId, folder } = fixture;
  const credentials = await signIn(deployment, key, serviceAccountId);
  const client = s3Client(deployment, credentials);
  const Bucket = deployment.accountId;
  const place = (name: string) => ({ Bucket, Key: `${privateRepositoryId}/${folder}${name}` });
  const check = (name: string, run: () => Promise<string>) => checks.check('objects', name, run);
  const content = randomBytes(70_000);

  await check('write with metadata, read back whole', async () => {
    const headers = { ContentType: 'text/csv', CacheControl: 'max-age=60', Metadata: { source: 'verify' } };
    await client.send(new PutObjectCommand({ ...place('plain'), Body: content, ...headers }));
    const found = await client.send(new HeadObjectCommand(place('plain')));
    expectEqual(
      [found.ContentType, found.CacheControl, found.Metadata, found.ContentLength],
      [headers.ContentType, headers.CacheControl, headers.Metadata, content.length],
      'what HEAD tells',
    );
    expect(content.equals(await read(client, place('plain'))), 'other bytes came back');
    return `${content.length} bytes`;
  });
  await check('ranges: first, middle, last bytes', async () => {
    for (const [range, start, end] of [
      ['0-99', 0, 100],
      ['500-', 500, undefined],
      ['-100', -100, undefined],
    ] as const) {
      const part = await read(client, { ...place('plain'), Range: `bytes=${range}` });
      expect(content.subarray(start, end).equals(part), `bytes=${range} gave other bytes`);
    }
    return 'the same bytes';
  });
  await check('a Range that is signed', async () => {
    const { status, body } = await sendSigned(deployment.dataUrl, credentials, {
      method: 'GET',
      path: pathOf(place('plain')),
      headers: { range: 'bytes=10-19' },
    });
    expectEqual([status, body.toString('hex')], [206, content.subarray(10, 20).toString('hex')], 'the answer');
    return '206';
  });
  await check('an upload in chunks, without a length', () =>
    uploadWithoutLength(fixture, credentials, place('chunked'), client),
  );
  await check('conditional write: an object that is there is not overwritten', async () => {
    const again = client.send(new PutObjectCommand({ ...place('plain'), Body: 'other', IfNoneMatch: '*' }));
    expectEqual((await refusalOf(again)).status, 412, 'the status');
    return '412';
  });
  await check('copy and tags', async () => {
    const CopySource = `${Bucket}/${place('plain').Key}`;
    await client.send(new CopyObjectCommand({ ...place('copy'), CopySource }));
    expect(content.equals(await read(client, place('copy'))), 'the copy has other bytes');
    await client.send(new PutObjectCommand({ ...place('tagged'), Body: 'x', Tagging: 'kind=verify' }));
    const { TagSet } = await client.send(new GetObjectTaggingCommand(place('tagged')));
    expectEqual(TagSet, [{ Key: 'kind', Value: 'verify' }], 'the tags');
    return 'as written';
  });
  await check('a large upload in parts', async () => {
    const large = randomBytes(4 * partBytes + 1);
    await new Upload({ client, partSize: partBytes, params: { ...place('large'), Body: large } }).done();
    expectEqual(sha256(await read(client, place('large'))), sha256(large), 'the SHA-256');
    return `${large.length} bytes in 5 parts`;
  });
  await check('odd names: // + %2F = spaces and other alphabets', async () => {
    for (const name of oddNames) {
      await client.send(new PutObjectCommand({ ...place(`odd/${name}`), Body: name }));
      expectEqual(String(await read(client, place(`odd/${name}`))), name, name);
    }
    return `${oddNames.length} names`;
  });
  await check('list pages, whole and without doubles', async () => {
    const { Key: Prefix } = place('odd/');
    const found: string[] = [];
    let pageCount = 0;
    for await (const { Contents = [] } of paginateListObjectsV2({ client, pageSize: 3 }, { Bucket, Prefix })) {
      found.push(...Contents.map(({ Key = '' }) => Key.slice(Prefix.length)));
      pageCount += 1;
    }
    expectEqual(found.toSorted(), oddNames.toSorted(), 'the list');
    return `${found.length} keys on ${pageCount} pages`;
  });
  await check('what there is to list above a repository: accounts, and the repositories of one', async () => {
    const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
    expect(
      Buckets.some(({ Name }) => Name === Bucket),
      `the account is not among ${Buckets.length} buckets`,
    );
    const { CommonPrefixes = [] } = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
    const prefixes = CommonPrefixes.map(({ Prefix }) => Prefix);
    for (const id of [openRepositoryId, privateRepositoryId]) {
      expect(prefixes.includes(`${id}/`), `${id}/ is not in ${JSON.stringify(prefixes)}`);
    }
    return `${Buckets.length} accounts, ${prefixes.length} repositories`;
  });
  await check('one large upload in a single request', async () => {
    const { largeMib } = deployment;
    if (largeMib === undefined) throw new Skipped('set SLUICE_VERIFY_LARGE_MIB, to 5120 for the largest there is');
    const ContentLength = largeMib * mebibyte;
    const chunk = randomBytes(mebibyte);
    const Body = Readable.from(repeat(chunk, largeMib));
    await client.send(new PutObjectCommand({ ...place('single'), Body, ContentLength }));
    const found = await client.send(new HeadObjectCommand(place('single')));
    expectEqual(found.ContentLength, ContentLength, 'the length');
    const end = await read(client, { ...place('single'), Range: 'bytes=-1048576' });
    expect(chunk.equals(end), 'its end is other bytes');
    return `${largeMib} MiB`;
  });
  await check('presigned: upload, then download, by URL alone', async () => {
    const path = pathOf(place('presigned'));
    const put = await presign(deployment.dataUrl, credentials, { method: 'PUT', path });
    expectEqual((await fetch(put, { method: 'PUT', body: 'by URL' })).status, 200, 'the status of the upload');
    const get = await fetch(await presign(deployment.dataUrl, credentials, { method: 'GET', path }));
    expectEqual([get.status, await get.text()], [200, 'by URL'], 'the download');
    return 'the same bytes';
  });
  await check('what is not there is NoSuchKey, and its bucket not taken for gone', () =>
    readWhatIsNotThere(client, place('never written')),
  );
  await check('delete one, delete many', async () => {
    await client.send(new DeleteObjectCommand(place('copy')));
    expectEqual((await refusalOf(client.send(new HeadObjectCommand(place('copy'))))).status, 404, 'the status');
    const Objects = ['tagged', 'presigned'].map((name) => ({ Key: place(name).Key }));
    const { Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expectEqual(Deleted.map(({ Key }) => Key).toSorted(), Objects.map(({ Key }) => Key).toSorted(), 'what was deleted');
    return '3 objects';
  });
}

/**
 * After a 404, the origin-response function checks the storage's bucket, at the origin in the request. With a wrong
 * origin, the status here would be 500.
 */
async function readWhatIsNotThere(client: S3Client, place: { Bucket: string; Key: string }): Promise<string> {
  const IfMatch = '"00000000000000000000000000000000"';
  const codes = [
    await refusalOf(client.send(new GetObjectCommand(place))),
    await refusalOf(client.send(new GetObjectCommand({ ...place, Range: 'bytes=0-1' }))),
    await refusalOf(client.send(new PutObjectCommand({ ...place, Body: 'x', IfMatch }))),
  ].map(({ code, status }) => `${status} ${code}`);
  expectEqual(codes, ['404 NoSuchKey', '404 NoSuchKey', '404 NoSuchKey'], 'the answers');
  expectEqual((await refusalOf(client.send(new HeadObjectCommand(place)))).status, 404, 'the status of HEAD');
  return 'NoSuchKey';
}

/** Uploads as SDKs upload a stream over https: only the chunks contain the length. Reads the object back. */
async function uploadWithoutLength(
  { deployment }: Fixture,
  credentials: Credentials,
  place: { Bucket: string; Key: string },
  client: S3Client,
): Promise<string> {
  const content = randomBytes(100_000);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  const body = Buffer.concat([
    Buffer.from(`${content.length.toString(16)}\r\n`),
    content,
    Buffer.from(`\r\n0\r\nx-amz-checksum-crc32:${checksum.toString('base64')}\r\n\r\n`),
  ]);
  const { status, body: answer } = await sendSigned(deployment.dataUrl, credentials, {
    method: 'PUT',
    path: pathOf(place),
    headers: {
      'content-encoding': 'aws-chunked',
      'transfer-encoding': 'chunked',
      'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'x-amz-decoded-content-length': String(content.length),
      'x-amz-trailer': 'x-amz-checksum-crc32',
    },
    body,
  });
  expect(status === 200, `it answered ${status}: ${answer.toString().slice(0, 300)}`);
  expect(content.equals(await read(client, place)), 'other bytes came back');
  return `${content.length} bytes`;
}

function* repeat(chunk: Buffer, times: number): Generator<Buffer> {
  for (let count = 0; count < times; count += 1) yield chunk;
}

async function read(client: S3Client, place: { Bucket: string; Key: string; Range?: string }): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand(place));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

function pathOf({ Bucket, Key }: { Bucket: string; Key: string }): string {
  return `/${Bucket}/${Key.split('/').map(encodeURIComponent).join('/')}`;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
