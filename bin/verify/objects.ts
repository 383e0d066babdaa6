import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type Checks, expect, expectEqual, refusalOf, Skipped } from './checks.ts';
import { type Credentials, signIn } from './deployment.ts';
import { type Fixture, type RepositoryClient, repositoryClient } from './fixture.ts';
import { presign, sendSigned } from './wire.ts';

const oddNames = ['a//b', 'plus+sign', 'per%2Fcent', 'two words', 'equals=sign', 'größe-大きさ', "quote'(1)*!"];
const mebibyte = 1024 * 1024;
const partBytes = 5 * mebibyte;
const content = randomBytes(70_000);

interface Objects extends RepositoryClient {
  fixture: Fixture;
  credentials: Credentials;
}

/** Checks all operations on objects. The service account runs them in its private repository. */
export async function checkObjects(checks: Checks, fixture: Fixture): Promise<void> {
  const credentials = await signIn(fixture.deployment, fixture.key, fixture.serviceAccountId);
  const repository = repositoryClient(fixture, credentials, fixture.privateRepositoryId);
  const check = checks.group('objects');
  for (const [name, run] of steps) await check(name, () => run({ ...repository, fixture, credentials }));
}

/** The steps of the object check. Later steps read objects that earlier steps have written. */
const steps: readonly [name: string, run: (objects: Objects) => Promise<string>][] = [
  [
    'write with metadata, and read the whole object',
    async ({ put, head, read }) => {
      const headers = { ContentType: 'text/csv', CacheControl: 'max-age=60', Metadata: { source: 'verify' } };
      await put('plain', content, headers);
      const { ContentType, CacheControl, Metadata, ContentLength } = await head('plain');
      const expected = { ...headers, ContentLength: content.length };
      expectEqual({ ContentType, CacheControl, Metadata, ContentLength }, expected, 'the answer to HEAD');
      expect(content.equals(await read('plain')), 'other bytes came back');
      return `${content.length} bytes`;
    },
  ],
  [
    'ranges: first, middle, last bytes',
    async ({ read }) => {
      for (const [range, start, end] of [
        ['0-99', 0, 100],
        ['500-', 500, undefined],
        ['-100', -100, undefined],
      ] as const) {
        const part = await read('plain', `bytes=${range}`);
        expect(content.subarray(start, end).equals(part), `bytes=${range} gave other bytes`);
      }
      return 'the same bytes';
    },
  ],
  [
    'a signed Range header',
    async ({ fixture, credentials, path }) => {
      const request = { method: 'GET', path: path('plain'), headers: { range: 'bytes=10-19' } };
      const { status, body } = await sendSigned(fixture.deployment.dataUrl, credentials, request);
      expectEqual([status, body.toString('hex')], [206, content.subarray(10, 20).toString('hex')], 'the answer');
      return '206';
    },
  ],
  ['an upload in chunks, without a length', uploadWithoutLength],
  [
    'conditional write: does not overwrite an existing object',
    async ({ put }) => {
      expectEqual((await refusalOf(put('plain', 'other', { IfNoneMatch: '*' }))).status, 412, 'the status');
      return '412';
    },
  ],
  [
    'copy and tags',
    async ({ client, location, put, read }) => {
      const { Bucket, Key } = location('plain');
      await client.send(new CopyObjectCommand({ ...location('copy'), CopySource: `${Bucket}/${Key}` }));
      expect(content.equals(await read('copy')), 'the copy has other bytes');
      await put('tagged', 'x', { Tagging: 'kind=verify' });
      const { TagSet } = await client.send(new GetObjectTaggingCommand(location('tagged')));
      expectEqual(TagSet, [{ Key: 'kind', Value: 'verify' }], 'the tags');
      return 'as written';
    },
  ],
  [
    'a large upload in parts',
    async ({ client, location, read }) => {
      const large = randomBytes(4 * partBytes + 1);
      await new Upload({ client, partSize: partBytes, params: { ...location('large'), Body: large } }).done();
      expectEqual(hash('sha256', await read('large')), hash('sha256', large), 'the SHA-256');
      return `${large.length} bytes in 5 parts`;
    },
  ],
  [
    'unusual names: // + %2F = spaces and other alphabets',
    async ({ put, read }) => {
      for (const name of oddNames) {
        await put(`odd/${name}`, name);
        expectEqual(String(await read(`odd/${name}`)), name, name);
      }
      return `${oddNames.length} names`;
    },
  ],
  [
    'pages of a list, complete and without duplicates',
    async ({ client, location }) => {
      const { Bucket, Key: Prefix } = location('odd/');
      const found: string[] = [];
      let pageCount = 0;
      for await (const { Contents = [] } of paginateListObjectsV2({ client, pageSize: 3 }, { Bucket, Prefix })) {
        found.push(...Contents.map(({ Key = '' }) => Key.slice(Prefix.length)));
        pageCount += 1;
      }
      expectEqual(found.toSorted(), oddNames.toSorted(), 'the list');
      return `${found.length} keys on ${pageCount} pages`;
    },
  ],
  [
    'lists above a repository: accounts, and the repositories of one account',
    async ({ client, fixture }) => {
      const { accountId: Bucket } = fixture.deployment;
      const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
      const isListed = Buckets.some(({ Name }) => Name === Bucket);
      expect(isListed, `the account is not among ${Buckets.length} buckets`);
      const { CommonPrefixes = [] } = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
      const prefixes = CommonPrefixes.map(({ Prefix }) => Prefix);
      for (const id of [fixture.openRepositoryId, fixture.privateRepositoryId])
        expect(prefixes.includes(`${id}/`), `${id}/ is not in ${JSON.stringify(prefixes)}`);
      return `${Buckets.length} accounts, ${prefixes.length} repositories`;
    },
  ],
  [
    'one large upload in a single request',
    async ({ fixture, put, head, read }) => {
      const { largeMib } = fixture.deployment;
      if (largeMib === undefined) throw new Skipped('set SLUICE_VERIFY_LARGE_MIB, at most 5120');
      const ContentLength = largeMib * mebibyte;
      const chunk = randomBytes(mebibyte);
      await put('single', Readable.from(repeat(chunk, largeMib)), { ContentLength });
      expectEqual((await head('single')).ContentLength, ContentLength, 'the length');
      expect(chunk.equals(await read('single', `bytes=-${mebibyte}`)), 'its end is other bytes');
      return `${largeMib} MiB`;
    },
  ],
  [
    'presigned URLs: upload, then download',
    async ({ fixture, credentials, path }) => {
      const urlFor = (method: string) =>
        presign(fixture.deployment.dataUrl, credentials, { method, path: path('presigned') });
      const put = await fetch(await urlFor('PUT'), { method: 'PUT', body: 'by URL' });
      expectEqual(put.status, 200, 'the status of the upload');
      const get = await fetch(await urlFor('GET'));
      expectEqual([get.status, await get.text()], [200, 'by URL'], 'the download');
      return 'the same bytes';
    },
  ],
  ['a missing object is NoSuchKey, and its bucket is not reported as missing', readWhatIsNotThere],
  [
    'delete one, delete many',
    async ({ client, location, head }) => {
      await client.send(new DeleteObjectCommand(location('copy')));
      expectEqual((await refusalOf(head('copy'))).status, 404, 'the status');
      const Objects = ['presigned', 'tagged'].map((name) => ({ Key: location(name).Key }));
      const { Bucket } = location('');
      const { Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      const deleted = Deleted.map(({ Key = '' }) => Key).toSorted();
      expectEqual(deleted, Objects.map(({ Key }) => Key).toSorted(), 'what was deleted');
      return '3 objects';
    },
  ],
];

/**
 * Checks the response for a missing object. When storage returns 404, the origin-response function checks whether the
 * bucket exists. It finds the storage by the origin in the request. If that origin were wrong, the status would be 500.
 */
async function readWhatIsNotThere({ client, location, put, head }: Objects): Promise<string> {
  const absent = location('never written');
  const codes = [
    await refusalOf(client.send(new GetObjectCommand(absent))),
    await refusalOf(client.send(new GetObjectCommand({ ...absent, Range: 'bytes=0-1' }))),
    await refusalOf(put('never written', 'x', { IfMatch: '"00000000000000000000000000000000"' })),
  ].map(({ code, status }) => `${status} ${code}`);
  expectEqual(codes, ['404 NoSuchKey', '404 NoSuchKey', '404 NoSuchKey'], 'the answers');
  expectEqual((await refusalOf(head('never written'))).status, 404, 'the status of HEAD');
  return 'NoSuchKey';
}

/**
 * Uploads an object in the way in which SDKs upload a stream over https: only the chunks contain the length. Then reads
 * the object.
 */
async function uploadWithoutLength({ fixture, credentials, path, read }: Objects): Promise<string> {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  const body = Buffer.concat([
    Buffer.from(`${content.length.toString(16)}\r\n`),
    content,
    Buffer.from(`\r\n0\r\nx-amz-checksum-crc32:${checksum.toString('base64')}\r\n\r\n`),
  ]);
  const { status, body: answer } = await sendSigned(fixture.deployment.dataUrl, credentials, {
    method: 'PUT',
    path: path('chunked'),
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
  expect(content.equals(await read('chunked')), 'other bytes came back');
  return `${content.length} bytes`;
}

function* repeat(chunk: Buffer, times: number): Generator<Buffer> {
  for (let count = 0; count < times; count += 1) yield chunk;
}
