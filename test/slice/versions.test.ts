import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { made } from '../functions/users.ts';
import { refusalOf } from '../lib/local/s3/open-store.ts';
import { setVersioning } from '../lib/s3/versions/freeze-fixture.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { versionsOf } from '../service/frozen-versions.ts';
import { seededBytes } from '../service/seeded-random.ts';
import { startSeededService } from '../service/seeded-service.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';

/** Versions of repositories through the edge, with the real database engine and the S3 emulator. */

const service = await startSeededService({ openDataCacheSeconds: 60 });
const { createVersion, placeOf, storageClient } = versionsOf(service);
afterAll(() => {
  storageClient.destroy();
  return service.close();
});
const account_id = 'tide-institute';
const Bucket = account_id;
const { bucket } = service.storage;
const credentials = await signIn(service, service.key);
const s3 = s3Client(service, credentials);

/** Puts objects into a repository, below a folder of this test. */
async function putAll(repository_id: string, objects: Readonly<Record<string, Uint8Array | string>>): Promise<void> {
  for (const [key, Body] of Object.entries(objects)) {
    await s3.send(new PutObjectCommand({ Bucket, Key: `${repository_id}/${key}`, Body }));
  }
}

async function read(Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

const raw = (method: string, path: string, headers: Record<string, string> = {}) =>
  sendAnonymous(service, method, path, headers);
const codeOf = ({ status, body }: { status: number; body: Uint8Array }) =>
  `${status} ${/<Code>(\w+)<\/Code>/.exec(Buffer.from(body).toString())?.[1] ?? ''}`.trim();

const objects = {
  'a.csv': 'level\n1\n',
  'b/one.bin': seededBytes(70_000),
  'b/two.txt': 'two',
  'c d/ä 🌊 +%@.txt': 'odd',
  'c/x/y': '',
  'c/x/z': 'z',
  'z.txt': 'last',
};
await putAll('tide-gauges', { 'a.csv': 'old', 'removed.csv': 'old' });
await createVersion('tide-gauges', 'first');
await s3.send(new DeleteObjectCommand({ Bucket, Key: 'tide-gauges/removed.csv' }));
await putAll('tide-gauges', objects);
await putAll('raw-drafts', { 'secret.csv': 'secret' });
const frozen = await createVersion('tide-gauges', 'v1.0');
await createVersion('raw-drafts', 'v1');
await createVersion('tide-gauges', 'gone', { state: 'withdrawn' });
await createVersion('tide-gauges', 'failed', { state: 'failed' });
await createVersion('tide-gauges', 'freezing', { state: 'freezing' });
for (const [at, key] of Object.keys(objects).entries()) {
  if (at % 2 === 0) await putAll('tide-gauges', { [key]: 'overwritten' });
  await s3.send(new DeleteObjectCommand({ Bucket, Key: `tide-gauges/${key}` }));
}
await putAll('tide-gauges', { 'a.csv': 'again', 'new.csv': 'new' });

test.each(Object.entries(objects))('a version has the frozen bytes of %j', async (key, body) => {
  const expected = Buffer.from(body);
  expect((await read(`tide-gauges@v1.0/${key}`)).equals(expected)).toBe(true);
  const { ContentLength, ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: `tide-gauges@v1.0/${key}` }));
  expect(ContentLength).toBe(expected.length);
  const path = `/tide-institute/tide-gauges@v1.0/${encodeURI(key)}`;
  for (const spelled of [path, path.replace('@', '%40')]) {
    const answer = await raw('GET', spelled);
    expect([answer.status, Buffer.from(answer.body).equals(expected)]).toEqual([200, true]);
    expect(answer.headers).toMatchObject({ etag: ETag, 'access-control-allow-origin': '*' });
  }
});

test('a version answers ranges, conditions, and presigned URLs like the repository', async () => {
  const Key = 'tide-gauges@v1.0/b/one.bin';
  const body = objects['b/one.bin'];
  expect(await read(Key, 'bytes=100-199')).toEqual(Buffer.from(body.subarray(100, 200)));
  expect(await read(Key, 'bytes=-7')).toEqual(Buffer.from(body.subarray(-7)));
  const { ETag = '', VersionId } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
  const path = `/${Bucket}/${Key}`;
  expect((await raw('GET', path, { 'if-none-match': ETag })).status).toBe(304);
  const get = (conditions: object) => refusalOf(s3.send(new GetObjectCommand({ Bucket, Key, ...conditions })));
  expect(await get({ IfMatch: '"other"' })).toBe('412 PreconditionFailed');
  expect(await get({ IfMatch: ETag, VersionId })).toBe('not refused');
  expect(await get({ VersionId: 'other' })).toBe('404 NoSuchKey');
  expect(await get({ Range: 'bytes=70000-' })).toBe('416 InvalidRange');
  const options = await raw('OPTIONS', path, { origin: 'https://a.example', 'access-control-request-method': 'GET' });
  expect([options.status, options.headers['access-control-allow-origin']]).toEqual([204, '*']);
});

test('a version has the attributes of its objects, and no tags', async () => {
  const Key = 'tide-gauges@v1.0/b/two.txt';
  const attributes = (ObjectAttributes: ('ETag' | 'ObjectSize')[]) =>
    s3.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes }));
  const { ETag, ObjectSize } = await attributes(['ETag', 'ObjectSize']);
  expect([ETag?.length, ObjectSize]).toEqual([32, 3]);
  expect(await attributes(['ObjectSize'])).toMatchObject({ ObjectSize: 3 });
  expect((await attributes(['ObjectSize'])).ETag).toBeUndefined();
  expect((await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet).toEqual([]);
});

test('lists of a version have the frozen keys, in pages of any size, with folders, and after a key', async () => {
  const start = 'tide-gauges@v1.0/';
  const keys = frozen.entries.map(({ key }) => start + key);
  expect(keys).toHaveLength(Object.keys(objects).length);
  for (const MaxKeys of [1, 2, 3, 1000]) {
    const listed: (string | undefined)[] = [];
    for (let ContinuationToken: string | undefined; ; ) {
      const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: start, MaxKeys, ContinuationToken }));
      listed.push(...(page.Contents ?? []).map(({ Key }) => Key));
      if (!page.IsTruncated) break;
      ContinuationToken = page.NextContinuationToken;
    }
    expect(listed).toEqual(keys);
    const first: (string | undefined)[] = [];
    for (let Marker: string | undefined; ; ) {
      const page = await s3.send(new ListObjectsCommand({ Bucket, Prefix: start, MaxKeys, Marker, Delimiter: '/' }));
      const names = [...(page.Contents ?? []), ...(page.CommonPrefixes ?? [])];
      first.push(...names.map((name) => ('Key' in name ? name.Key : 'Prefix' in name ? name.Prefix : undefined)));
      if (!page.IsTruncated) break;
      Marker = page.NextMarker;
    }
    expect(first.toSorted()).toEqual(['a.csv', 'b/', 'c d/', 'c/', 'z.txt'].map((name) => start + name));
  }
  const list = (query: object) => s3.send(new ListObjectsV2Command({ Bucket, ...query }));
  const [object] = (await list({ Prefix: `${start}b/t` })).Contents ?? [];
  expect(object).toMatchObject({ Key: `${start}b/two.txt`, Size: 3, ETag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });
  const after = await list({ Prefix: start, StartAfter: `${start}c/x/y` });
  expect(after.Contents?.map(({ Key }) => Key)).toEqual([`${start}c/x/z`, `${start}z.txt`]);
  expect((await list({ Prefix: start, StartAfter: 'tide-gauges@v2' })).KeyCount).toBe(0);
  expect((await list({ Prefix: start, MaxKeys: 0 })).KeyCount).toBe(0);
  const { CommonPrefixes = [] } = await list({ Delimiter: '/' });
  expect(CommonPrefixes.map(({ Prefix }) => Prefix).filter((name) => name?.includes('@'))).toEqual([]);
});

const [account, gauges] = ['/tide-institute', 'tide-gauges'];
test.each([
  ['an object that was frozen', `${gauges}@v1.0/a.csv`, '200'],
  ['an object that was stored later', `${gauges}@v1.0/new.csv`, '404 NoSuchKey'],
  ['no key', `${gauges}@v1.0`, '404 NoSuchKey'],
  ['an empty key', `${gauges}@v1.0/`, '404 NoSuchKey'],
  ['an unknown version', `${gauges}@v2/a.csv`, '404 NoSuchKey'],
  ['no name', `${gauges}@/a.csv`, '404 NoSuchKey'],
  ['two names', `${gauges}@v1.0@v1.0/a.csv`, '404 NoSuchKey'],
  ['a name in capitals', `${gauges}@V1.0/a.csv`, '404 NoSuchKey'],
  ['a name with #', `${gauges}@v1.0%23x/a.csv`, '404 NoSuchKey'],
  ['dots as a name', `${gauges}@../a.csv`, '404 NoSuchKey'],
  ['a name of the prototype', `${gauges}@__proto__/a.csv`, '404 NoSuchKey'],
  ['a withdrawn version', `${gauges}@gone/a.csv`, '404 NoSuchKey'],
  ['a failed version', `${gauges}@failed/a.csv`, '404 NoSuchKey'],
  ['a version that is not ready', `${gauges}@freezing/a.csv`, '404 NoSuchKey'],
  ['only @', '@/a.csv', '403 AccessDenied'],
  ['only a name', '@v1.0/a.csv', '403 AccessDenied'],
  ['dots as a repository', '..@v1.0/a.csv', '403 AccessDenied'],
  ['a version as a repository', 'v1@v2/a.csv', '403 AccessDenied'],
  ['an @ that is encoded twice', `${gauges}%2540v1.0/a.csv`, '403 AccessDenied'],
  ['a full-width @', `${gauges}%EF%BC%A0v1.0/a.csv`, '403 AccessDenied'],
  ['a slash before @', `${gauges}/@v1.0/a.csv`, '404 NoSuchKey'],
  ['a version of a hidden repository', 'raw-drafts@v1/secret.csv', '403 AccessDenied'],
  ['an unknown version of a hidden repository', 'raw-drafts@v2/secret.csv', '403 AccessDenied'],
  ['the manifest', `${gauges}@v1.0/.sluice/versions/x`, '403 AccessDenied'],
  ['the manifest in capitals', `${gauges}@v1.0/.SLUICE/x`, '403 AccessDenied'],
])('a path with %s has a defined answer', async (_, path, expected) => {
  expect(codeOf(await raw('GET', `${account}/${path}`))).toBe(expected);
  expect((await raw('HEAD', `${account}/${path}`)).status).toBe(Number(expected.slice(0, 3)));
  const encoded = await raw('GET', `${account}/${path.replaceAll('@', '%40')}`);
  expect(codeOf(encoded)).toBe(expected);
});

describe('a comparison of two versions', () => {
  test('returns the difference to readers of the repository, and is never cached', async () => {
    const answer = await raw('GET', `${account}/${gauges}@v1.0/?compare-with=first`);
    expect([answer.status, answer.headers['content-type'], answer.headers['x-cache']]).toEqual([
      200,
      'application/json',
      'Miss from cloudfront',
    ]);
    expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual({
      added: { files: 6, bytes: 70_011 },
      removed: { files: 1, bytes: 3 },
      changed: { files: 1, bytes: 8, bytes_before: 3 },
      files: [
        { key: 'a.csv', change: 'changed', bytes: 8 },
        ...['b/one.bin', 'b/two.txt', 'c d/ä 🌊 +%@.txt', 'c/x/y', 'c/x/z'].map((key) => ({
          ...{ key, change: 'added', bytes: expect.any(Number) },
        })),
        { key: 'removed.csv', change: 'removed', bytes: 3 },
        { key: 'z.txt', change: 'added', bytes: 4 },
      ],
    });
    const query = { 'compare-with': 'v1' };
    const signed = await sendSigned(service, credentials, { method: 'GET', path: `${account}/raw-drafts@v1/`, query });
    expect(JSON.parse(Buffer.from(signed.body).toString())).toMatchObject({ files: [] });
  });

  test.each([
    ['an unknown version', `${gauges}@v1.0/?compare-with=v2`, '404 NoSuchKey'],
    ['an empty name', `${gauges}@v1.0/?compare-with=`, '404 NoSuchKey'],
    ['two names', `${gauges}@v1.0/?compare-with=v1.0@v1.0`, '404 NoSuchKey'],
    ['a version of another repository', `${gauges}@v1.0/?compare-with=../raw-drafts@v1`, '404 NoSuchKey'],
    ['a withdrawn version', `${gauges}@v1.0/?compare-with=gone`, '404 NoSuchKey'],
    ['a version that is not ready', `${gauges}@v1.0/?compare-with=freezing`, '404 NoSuchKey'],
    ['a withdrawn version as the later one', `${gauges}@gone/?compare-with=v1.0`, '404 NoSuchKey'],
    ['the newest state', `${gauges}/?compare-with=v1.0`, '400 InvalidArgument'],
    ['a file of a version', `${gauges}@v1.0/a.csv?compare-with=v1.0`, '400 InvalidArgument'],
    ['a further parameter', `${gauges}@v1.0/?compare-with=v1.0&versionId=x`, '501 NotImplemented'],
    ['a hidden repository', 'raw-drafts@v1/?compare-with=v1', '403 AccessDenied'],
  ])('refuses %s', async (_, path, expected) => {
    expect(codeOf(await raw('GET', `${account}/${path}`))).toBe(expected);
  });
});

test('nothing is written to a version, and the refusal names the repository', async () => {
  const path = `${account}/${gauges}@v1.0/a.csv`;
  const requests: [string, string][] = [
    ['PUT', ''],
    ['PUT', 'partNumber=1&uploadId=x'],
    ['PUT', 'tagging='],
    ['POST', 'uploads='],
    ['POST', 'uploadId=x'],
    ['DELETE', ''],
    ['DELETE', 'tagging='],
    ['DELETE', 'uploadId=x'],
    ['GET', 'uploadId=x'],
  ];
  for (const [method, query] of requests) {
    const answer = await sendSigned(service, credentials, {
      method,
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
    });
    expect([method, query, codeOf(answer)]).toEqual([method, query, '405 MethodNotAllowed']);
    expect(Buffer.from(answer.body).toString()).toContain('write to tide-gauges without @');
  }
  expect(codeOf(await raw('PUT', path))).toBe('405 MethodNotAllowed');
  const Objects = ['a.csv', 'z.txt'].map((name) => ({ Key: `${gauges}@v1.0/${name}` }));
  const remove = (Delete: { Objects: { Key: string }[] }) => s3.send(new DeleteObjectsCommand({ Bucket, Delete }));
  expect(await refusalOf(remove({ Objects }))).toBe('405 MethodNotAllowed');
  const { Errors } = await remove({ Objects: [...Objects, { Key: `${gauges}/none` }] });
  expect(Errors?.map(({ Code }) => Code)).toEqual(['MethodNotAllowed', 'MethodNotAllowed']);
  const Prefix = `${gauges}@v1.0/`;
  const refused = '405 MethodNotAllowed';
  expect(await refusalOf(s3.send(new ListObjectVersionsCommand({ Bucket, Prefix })))).toBe(refused);
  expect(await refusalOf(s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix })))).toBe(refused);
  expect((await read(`${gauges}@v1.0/a.csv`)).toString()).toBe(objects['a.csv']);
});

test('objects are copied from a version, with conditions, and never from the current object', async () => {
  const copy = (CopySource: string, more: object = {}) =>
    s3.send(new CopyObjectCommand({ Bucket, Key: 'raw-drafts/copied', CopySource, ...more }));
  for (const at of ['@', '%40']) {
    await copy(`${Bucket}/${gauges}${at}v1.0/a.csv`);
    expect((await read('raw-drafts/copied')).toString()).toBe(objects['a.csv']);
  }
  const source = `${Bucket}/${gauges}@v1.0/a.csv`;
  const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: `${gauges}@v1.0/a.csv` }));
  await copy(source, { CopySourceIfMatch: ETag });
  expect(await refusalOf(copy(source, { CopySourceIfMatch: '"other"' }))).toBe('412 PreconditionFailed');
  expect(await refusalOf(copy(source, { CopySourceIfNoneMatch: ETag }))).toBe('412 PreconditionFailed');
  expect(await refusalOf(copy(`${Bucket}/${gauges}@v1.0/new.csv`))).toBe('404 NoSuchKey');
  expect(await refusalOf(copy(`${source}?versionId=x`))).toBe('501 NotImplemented');
});

test('open versions are cached under one path, and closing the repository closes them', async () => {
  const owner = await service.user('ada');
  const repository_id = 'closing-soon';
  const meta = { title: 'T', description: 'D', tags: 't' };
  const data_connection_id = 'local-store';
  await made(
    owner('POST', `/repositories/${account_id}`, { repository_id, data_mode: 'open', meta, data_connection_id }),
  );
  const Key = `${(await placeOf(repository_id)).storage.prefix}a.csv`;
  await storageClient.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'open' }));
  await createVersion(repository_id, 'v1');
  const path = `${account}/${repository_id}@v1/a.csv`;
  const seen = async (spelled: string) => {
    const { status, headers } = await raw('GET', spelled);
    return [status, headers['x-cache']];
  };
  expect(await seen(path)).toEqual([200, 'Miss from cloudfront']);
  expect(await seen(path.replace('@', '%40'))).toEqual([200, 'Hit from cloudfront']);
  await made(owner('PUT', `/repositories/${account_id}/${repository_id}/data-mode`, { data_mode: 'private' }));
  service.advance(61);
  // The proxy uses older authorization data for some time while a read of the table takes long on a busy machine.
  await expect.poll(async () => (await seen(path))[0]).toBe(403);
});

test('a withdrawn version leaves the cache, and other versions stay readable', async () => {
  const owner = await service.user('ada');
  await putAll('tide-gauges', { 'withdrawn.csv': 'wrong' });
  for (const name of ['wrong', 'right']) await createVersion('tide-gauges', name);
  const path = (name: string) => `${account}/tide-gauges@${name}/withdrawn.csv`;
  const cachedAt = service.services.clock();
  for (const name of ['wrong', 'right']) expect((await raw('GET', path(name))).status).toBe(200);
  const versions = `/repositories/${account_id}/tide-gauges/versions`;
  await made(owner('POST', `${versions}/wrong/withdraw`, { reason: 'The gauge was broken' }));
  let seconds = 0;
  await vi.waitFor(
    async () => {
      seconds += 1;
      if (seconds < 30) service.advance(1);
      expect(codeOf(await raw('GET', path('wrong')))).toBe('404 NoSuchKey');
    },
    { timeout: 50_000, interval: 300 },
  );
  // The invalidation removed the cached answer before its TTL of 60 seconds.
  expect(service.services.clock() - cachedAt).toBeLessThan(60_000);
  expect((await raw('GET', path('right'))).status).toBe(200);
}, 60_000);

/** Reads an object in different ways. Returns the refusals. */
const refusalsOf = (Key: string) =>
  Promise.all(
    [
      s3.send(new GetObjectCommand({ Bucket, Key })),
      s3.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=0-1' })),
      s3.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['ObjectSize'] })),
      s3.send(new CopyObjectCommand({ Bucket, Key: 'raw-drafts/copy', CopySource: `${Bucket}/${Key}` })),
    ].map(refusalOf),
  );
const fourTimes = (refusal: string) => Array.from({ length: 4 }, () => refusal);

test('a stored version that was deleted is an error of its own, also if the key has another object', async () => {
  await putAll('raw-drafts', { 'h/gone': 'gone', 'h/replaced': 'gone' });
  const { entries, place } = await createVersion('raw-drafts', 'deleted');
  for (const { key, version_id } of entries) {
    const Key = place.storage.prefix + key;
    await storageClient.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId: version_id }));
  }
  await putAll('raw-drafts', { 'h/replaced': 'gone' });
  for (const key of ['h/gone', 'h/replaced']) {
    const Key = `raw-drafts@deleted/${key}`;
    expect(await refusalsOf(Key)).toEqual(fourTimes('409 VersionObjectMissing'));
    expect(await refusalOf(s3.send(new HeadObjectCommand({ Bucket, Key })))).toMatch(/^409 /);
  }
});

test('a stored version with another ETag or of another kind is an error of its own', async () => {
  await putAll('raw-drafts', { 'e/changed': 'changed', 'e/marker': 'marker' });
  const marker = await storageClient.send(
    new DeleteObjectCommand({ Bucket: bucket, Key: `${(await placeOf('raw-drafts')).storage.prefix}e/marker` }),
  );
  await createVersion('raw-drafts', 'changed', {}, (entries) => {
    const changed = entries.find(({ key }) => key === 'e/changed');
    if (changed === undefined) throw new Error('the object was not frozen');
    return [
      { ...changed, etag: 'b'.repeat(32) },
      { ...changed, key: 'e/marker', version_id: marker.VersionId ?? '' },
    ];
  });
  expect(await refusalsOf('raw-drafts@changed/e/changed')).toEqual(fourTimes('409 VersionObjectChanged'));
  expect(await refusalsOf('raw-drafts@changed/e/marker')).toEqual(fourTimes('409 VersionObjectMissing'));
  const failures = service.logged.flatMap((line) => ('failure' in line ? [line.failure] : []));
  expect(failures).toContainEqual(
    expect.objectContaining({ name: 'LoggedStorageError', shown: 'versionObjectChanged' }),
  );
});

test('a version stays readable after versioning of the storage was suspended', async () => {
  await putAll('raw-drafts', { 's/kept': 'kept' });
  const { place } = await createVersion('raw-drafts', 'suspended');
  await setVersioning(place, 'Suspended');
  await putAll('raw-drafts', { 's/kept': 'overwritten' });
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'raw-drafts/s/kept' }));
  expect((await read('raw-drafts@suspended/s/kept')).toString()).toBe('kept');
  await setVersioning(place, 'Enabled');
});

test.each([
  ['index', 'altered'],
  ['index', 'deleted'],
  ['page', 'altered'],
  ['page', 'deleted'],
] as const)('a version whose %s was %s is an error of its own', async (part, change) => {
  await putAll('raw-drafts', { 'm/one': '1', 'm/two': '2' });
  const name = `${part}-${change}`;
  const { pages, partKey, indexKey } = await createVersion('raw-drafts', name);
  for (const Key of part === 'index' ? [indexKey] : pages.map(({ sha256 }) => partKey(sha256))) {
    const at = { Bucket: bucket, Key };
    await storageClient.send(
      change === 'deleted' ? new DeleteObjectCommand(at) : (new PutObjectCommand({ ...at, Body: '{}' }) as never),
    );
  }
  const Key = `raw-drafts@${name}/m/one`;
  expect(await refusalOf(s3.send(new GetObjectCommand({ Bucket, Key })))).toBe('409 VersionManifestAltered');
  const list = new ListObjectsV2Command({ Bucket, Prefix: `raw-drafts@${name}/` });
  expect(await refusalOf(s3.send(list))).toBe('409 VersionManifestAltered');
});
