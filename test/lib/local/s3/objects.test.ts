import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bucket, type OpenStore, openStore, refusalOf } from './open-store.ts';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

const address = (key: string) => ({ Bucket: bucket, Key: key });

describe('a key is exactly its bytes', () => {
  test.each([
    ['plain/levels.csv', 'plain/levels.csv'],
    ['dots/../up', 'dots/../up'],
    ['dots/./here', 'dots/./here'],
    ['..', '..'],
    ['double//slash', 'double//slash'],
    ['/leading', '/leading'],
    ['trailing/', 'trailing/'],
    ['plus+sign', 'plus+sign'],
    ['equals=a&b', 'equals=a%26b'],
    ['a b', 'a%20b'],
    ['percent%2Fslash', 'percent%252Fslash'],
    ['slash/encoded', 'slash%2Fencoded'],
    ['Gezeiten/Übersicht.csv', 'Gezeiten/%C3%9Cbersicht.csv'],
    ['🌊', '%F0%9F%8C%8A'],
    ['question?mark', 'question%3Fmark'],
    ['nul\u0000byte', 'nul%00byte'],
    ['__proto__', '__proto__'],
    ['CON', 'CON'],
    ['upper', 'upper'],
    ['UPPER', 'UPPER'],
    ['k'.repeat(1024), 'k'.repeat(1024)],
  ])('%j is written and read back', async (key, rawKey) => {
    const path = `/${bucket}/${rawKey}`;
    const written = await opened.send({ method: 'PUT', path, body: `bytes of ${key}` });
    expect(written.status).toBe(200);
    expect((await opened.send({ path })).body).toBe(`bytes of ${key}`);
    const listed = await opened.s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: key, EncodingType: 'url' }));
    const keys = listed.Contents?.map((object) => decodeURIComponent((object.Key ?? '').replaceAll('+', '%20')));
    expect(keys).toContain(key);
  });

  test.each([
    ['a key of 1025 bytes', `/${bucket}/${'k'.repeat(1025)}`, 400, 'KeyTooLongError'],
    ['a key of 342 characters and 1026 bytes', `/${bucket}/${'%E2%82%AC'.repeat(342)}`, 400, 'KeyTooLongError'],
    ['a missing bucket', '/no-such-bucket/key', 404, 'NoSuchBucket'],
    ['a missing key', `/${bucket}/absent`, 404, 'NoSuchKey'],
    ['a key that is not UTF-8', `/${bucket}/%FF`, 400, 'InvalidURI'],
    ['no bucket', '//key', 400, 'InvalidBucketName'],
  ])('%s is refused', async (_, path, status, code) => {
    const answer = await opened.send({ path });
    expect([answer.status, answer.code]).toEqual([status, code]);
  });
});

test('GET and HEAD return all attributes of a write', async () => {
  await opened.s3.send(
    new PutObjectCommand({
      ...address('described'),
      Body: 'x',
      ContentType: 'text/csv; charset=utf-8',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment; filename="a.csv"',
      ContentEncoding: 'gzip',
      ContentLanguage: 'de',
      Expires: new Date('2030-01-01T00:00:00Z'),
      Metadata: { station: 'Cuxhaven', empty: '' },
      StorageClass: 'STANDARD_IA',
      Tagging: 'season=winter&note=a+b',
    }),
  );
  for (const command of [new GetObjectCommand(address('described')), new HeadObjectCommand(address('described'))]) {
    const object = await opened.s3.send(command as GetObjectCommand);
    expect(object).toMatchObject({
      ContentType: 'text/csv; charset=utf-8',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment; filename="a.csv"',
      ContentEncoding: 'gzip',
      ContentLanguage: 'de',
      ExpiresString: 'Tue, 01 Jan 2030 00:00:00 GMT',
      Metadata: { station: 'Cuxhaven', empty: '' },
      StorageClass: 'STANDARD_IA',
      TagCount: 2,
      ContentLength: 1,
      AcceptRanges: 'bytes',
      ETag: `"${createHash('md5').update('x').digest('hex')}"`,
    });
    expect(object.LastModified?.getMilliseconds()).toBe(0);
  }
});

test('an object without attributes has the defaults of S3', async () => {
  await opened.send({ method: 'PUT', path: `/${bucket}/bare`, body: 'x' });
  const { headers } = await opened.send({ method: 'HEAD', path: `/${bucket}/bare` });
  expect(headers['content-type']).toBe('binary/octet-stream');
  expect(headers['x-amz-storage-class']).toBeUndefined();
  expect(headers['x-amz-tagging-count']).toBeUndefined();
  expect(headers['content-encoding']).toBeUndefined();
});

test.each([
  ['aws-chunked', undefined],
  ['gzip,aws-chunked', 'gzip'],
  ['aws-chunked, br', 'br'],
])('the content coding %j is stored as %j', async (contentEncoding, kept) => {
  const path = `/${bucket}/coded`;
  await opened.send({ method: 'PUT', path, headers: { 'content-encoding': contentEncoding }, body: 'x' });
  expect((await opened.send({ path })).headers['content-encoding']).toBe(kept);
});

test('non-ASCII metadata is returned as an encoded word', async () => {
  const path = `/${bucket}/umlaut`;
  await opened.send({ method: 'PUT', path, headers: { 'x-amz-meta-name': 'M\u00fcritz' }, body: 'x' });
  expect((await opened.send({ path })).headers['x-amz-meta-name']).toBe('=?UTF-8?B?TcO8cml0eg==?=');
});

test('HEAD returns the length without a body, also for a missing key', async () => {
  await opened.send({ method: 'PUT', path: `/${bucket}/headed`, body: 'twelve bytes' });
  const present = await opened.send({ method: 'HEAD', path: `/${bucket}/headed` });
  expect([present.status, present.headers['content-length'], present.body]).toEqual([200, '12', '']);
  const absent = await opened.send({ method: 'HEAD', path: `/${bucket}/absent` });
  expect([absent.status, absent.body]).toEqual([404, '']);
});

test('an empty object can be stored and read', async () => {
  await opened.send({ method: 'PUT', path: `/${bucket}/empty` });
  const { status, headers, body } = await opened.send({ path: `/${bucket}/empty` });
  expect([status, headers['content-length'], headers.etag, body]).toEqual([
    200,
    '0',
    '"d41d8cd98f00b204e9800998ecf8427e"',
    '',
  ]);
});

describe('the store refuses a write with', () => {
  test.each([
    ['an unknown storage class', { 'x-amz-storage-class': 'CHEAP' }, 400, 'InvalidStorageClass'],
    ['metadata over 2 KB', { 'x-amz-meta-long': 'x'.repeat(2049) }, 400, 'MetadataTooLarge'],
    ['eleven tags', { 'x-amz-tagging': Array.from({ length: 11 }, (_, n) => `t${n}=`).join('&') }, 400, 'InvalidTag'],
    ['the same tag twice', { 'x-amz-tagging': 'a=1&a=2' }, 400, 'InvalidArgument'],
    ['a tag with forbidden characters', { 'x-amz-tagging': 'a=%3C' }, 400, 'InvalidTag'],
    ['a public ACL', { 'x-amz-acl': 'public-read' }, 400, 'AccessControlListNotSupported'],
    ['a grant', { 'x-amz-grant-read': 'id="x"' }, 400, 'AccessControlListNotSupported'],
    ['encryption, which would not happen', { 'x-amz-server-side-encryption': 'aws:kms' }, 501, 'NotImplemented'],
    ['an object lock', { 'x-amz-object-lock-mode': 'GOVERNANCE' }, 501, 'NotImplemented'],
    ['If-None-Match with an ETag', { 'if-none-match': '"abc"' }, 501, 'NotImplemented'],
  ])('%s and stores nothing', async (_, headers, status, code) => {
    const path = `/${bucket}/refused`;
    const answer = await opened.send({ method: 'PUT', path, headers, body: 'x' });
    expect([answer.status, answer.code]).toEqual([status, code]);
    expect((await opened.send({ path })).code).toBe('NoSuchKey');
  });
});

describe('an unsupported operation', () => {
  test.each([
    ['PUT', '/new-bucket', ''],
    ['DELETE', `/${bucket}`, ''],
    ['GET', `/${bucket}`, 'acl'],
    ['POST', `/${bucket}/key`, 'restore'],
    ['POST', `/${bucket}/key`, 'uploads&uploadId=x'],
    ['PATCH', `/${bucket}/key`, ''],
    ['GET', `/${bucket}/key`, 'constructor&acl'],
  ])('%s %s?%s gets 501', async (method, path, query) => {
    const answer = await opened.send({ method, path, query });
    expect([answer.status, answer.code]).toEqual([501, 'NotImplemented']);
  });
});

test('a delete removes the bytes, and a second one succeeds too', async () => {
  const blobs = await opened.watchBlobs();
  await opened.s3.send(new PutObjectCommand({ ...address('short-lived'), Body: 'x' }));
  for (const attempt of [1, 2]) {
    const { $metadata } = await opened.s3.send(new DeleteObjectCommand(address('short-lived')));
    expect([attempt, $metadata.httpStatusCode]).toEqual([attempt, 204]);
  }
  expect(await refusalOf(opened.s3.send(new GetObjectCommand(address('short-lived'))))).toBe('404 NoSuchKey');
  await blobs.untilAdded(0);
});

describe('DeleteObjects', () => {
  test('deletes and reports each key', async () => {
    const keys = ['many/a&b', 'many/<tag>', 'many/ spaces ', 'many/"quoted"', 'many/__proto__', 'many/absent'];
    for (const key of keys.slice(0, -1)) await opened.s3.send(new PutObjectCommand({ ...address(key), Body: 'x' }));
    const { Deleted } = await opened.s3.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }),
    );
    expect(Deleted?.map(({ Key }) => Key)).toEqual(keys);
    const left = await opened.s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'many/' }));
    expect(left.KeyCount).toBe(0);
  });

  test('reports only refused keys in quiet mode', async () => {
    await opened.s3.send(new PutObjectCommand({ ...address('kept'), Body: 'x' }));
    const { Deleted, Errors } = await opened.s3.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Quiet: true, Objects: [{ Key: 'absent' }, { Key: 'kept', ETag: '"other"' }] },
      }),
    );
    expect(Deleted).toBeUndefined();
    expect(Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([['kept', 'PreconditionFailed']]);
  });

  const document = (inner: string) => `<Delete>${inner}</Delete>`;
  test.each([
    ['no keys', document(''), 'MalformedXML'],
    ['1001 keys', document('<Object><Key>k</Key></Object>'.repeat(1001)), 'MalformedXML'],
    ['another document', '<Remove/>', 'MalformedXML'],
    ['broken XML', '<Delete><Object>', 'MalformedXML'],
    ['a document type', `<!DOCTYPE x [<!ENTITY e "k">]>${document('<Object><Key>&e;</Key></Object>')}`, 'MalformedXML'],
    ['an unknown entity', document('<Object><Key>&e;</Key></Object>'), 'MalformedXML'],
    ['an element named __proto__', document('<__proto__><Key>k</Key></__proto__>'), 'MalformedXML'],
  ])('refuses %s', async (_, body, code) => {
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    const answer = await opened.send({ method: 'POST', path: `/${bucket}`, query: 'delete', headers, body });
    expect([answer.status, answer.code]).toEqual([400, code]);
  });

  test('refuses a document without a digest', async () => {
    const body = document('<Object><Key>k</Key></Object>');
    const answer = await opened.send({ method: 'POST', path: `/${bucket}`, query: 'delete', body });
    expect([answer.status, answer.code]).toEqual([400, 'InvalidRequest']);
  });

  test('decodes numeric references in keys', async () => {
    await opened.s3.send(new PutObjectCommand({ ...address('tab\tand🌊'), Body: 'x' }));
    const body = document('<Object><Key>tab&#9;and&#x1F30A;</Key></Object>');
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    await opened.send({ method: 'POST', path: `/${bucket}`, query: 'delete', headers, body });
    expect(await refusalOf(opened.s3.send(new GetObjectCommand(address('tab\tand🌊'))))).toBe('404 NoSuchKey');
  });
});

describe('tags', () => {
  test('are read, replaced, and removed without a change of the object', async () => {
    await opened.s3.send(new PutObjectCommand({ ...address('tagged'), Body: 'x', Tagging: 'a=1&b=c%20d' }));
    const before = await opened.s3.send(new HeadObjectCommand(address('tagged')));
    const tags = async () => (await opened.s3.send(new GetObjectTaggingCommand(address('tagged')))).TagSet;
    expect(await tags()).toEqual([
      { Key: 'a', Value: '1' },
      { Key: 'b', Value: 'c d' },
    ]);
    opened.moveClock(60);
    const TagSet = [{ Key: 'season', Value: 'Frühling' }];
    await opened.s3.send(new PutObjectTaggingCommand({ ...address('tagged'), Tagging: { TagSet } }));
    expect(await tags()).toEqual(TagSet);
    await opened.s3.send(new DeleteObjectTaggingCommand(address('tagged')));
    expect(await tags()).toEqual([]);
    opened.moveClock(-60);
    const after = await opened.s3.send(new HeadObjectCommand(address('tagged')));
    expect([after.ETag, after.LastModified]).toEqual([before.ETag, before.LastModified]);
  });

  test('of a missing key get NoSuchKey', async () => {
    expect(await refusalOf(opened.s3.send(new GetObjectTaggingCommand(address('absent'))))).toBe('404 NoSuchKey');
    const call = new PutObjectTaggingCommand({ ...address('absent'), Tagging: { TagSet: [] } });
    expect(await refusalOf(opened.s3.send(call))).toBe('404 NoSuchKey');
  });
});

test('a bucket is found with its region', async () => {
  const head = await opened.s3.send(new HeadBucketCommand({ Bucket: bucket }));
  expect(head.BucketRegion).toBe('us-east-1');
  expect(await refusalOf(opened.s3.send(new HeadBucketCommand({ Bucket: 'no-such-bucket' })))).toBe('404 NotFound');
});
