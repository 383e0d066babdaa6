import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { encodeIndex, encodePage } from '../../../../lib/s3/versions/manifest.ts';
import { createManifestCache } from '../../../../lib/s3/versions/manifest-cache.ts';
import { serveInTest } from '../../../service/http-server.ts';
import { storageOf } from './freeze-fixture.ts';

const entry = { key: 'a', size: 1, etag: 'e', version_id: 'v', modified: 0 };
const page = encodePage([entry]);
const reference = { first: 'a', sha256: page.sha256, entries: 1 };
const index = encodeIndex([reference]);

/** Starts a storage with the manifest of a version, and opens the manifest. */
async function open(answer: (path: string) => { status: number; body?: Uint8Array | undefined }) {
  const requested: string[] = [];
  const listener: RequestListener = ({ url = '' }, response) => {
    requested.push(url);
    const { status, body } = answer(url);
    response.writeHead(status).end(body);
  };
  const endpoint = await serveInTest(listener);
  const storage = storageOf({ endpoint, bucket: 'b', prefix: 'p/', access_key_id: 'A', secret_access_key: 's' });
  const times = { headersMs: 5000, wholeMs: 5000 };
  const openManifest = createManifestCache({ clock: () => 0, timeoutMs: 5000, accountStorage: times });
  return { manifest: openManifest(storage, { version_uid: 'uid', index_sha256: index.sha256 }), requested };
}

const stored = (path: string) =>
  path.includes(index.sha256) ? { status: 200, body: index.bytes } : { status: 200, body: page.bytes };

test('a cold key needs one read of the index and one of a page, and a warm one none', async () => {
  const { manifest, requested } = await open(stored);
  const read = async () => [await manifest.pages(), await manifest.entries(reference)];
  const results = await Promise.all([read(), read(), read()]);
  results.push(await read());
  for (const result of results) expect(result).toEqual([[reference], [entry]]);
  expect(requested).toEqual([index, page].map(({ sha256 }) => `/b/p/.sluice/versions/uid/${sha256}.json.gz`));
});

test.each([
  ['is missing', { status: 404 }, { shown: 'versionManifestAltered' }],
  ['has other bytes', { status: 200, body: page.bytes }, { shown: 'versionManifestAltered' }],
  ['is empty', { status: 200 }, { shown: 'versionManifestAltered' }],
  ['cannot be read now', { status: 503 }, { code: 'unavailable' }],
  ['is refused', { status: 403 }, { message: 'the storage answered 403 to the read of a manifest' }],
  ['is a redirect', { status: 307 }, { message: 'the storage answered 307 to the read of a manifest' }],
])('an index that %s is an error, and is read again later', async (_, answer, error) => {
  let current: ReturnType<typeof stored> | { status: number } = answer;
  const { manifest } = await open(() => current);
  await expect(manifest.pages()).rejects.toMatchObject(error);
  current = stored(index.sha256);
  expect(await manifest.pages()).toEqual([reference]);
});

test('reads in parallel that need more memory than the cache has get their pages', async () => {
  const keys = Array.from({ length: 1000 }, (_, at) => `${String(at).padStart(4, '0')}${'k'.repeat(1000)}`);
  const pages = Array.from({ length: 40 }, (_, at) => encodePage(keys.map((key) => ({ ...entry, key, size: at }))));
  const bytesOf = new Map(pages.map(({ sha256, bytes }) => [`${sha256}.json.gz`, bytes]));
  const { manifest } = await open((path) => ({ status: 200, body: bytesOf.get(path.split('/').at(-1) ?? '') }));
  const read = await Promise.all(pages.map(({ sha256 }) => manifest.entries({ ...reference, sha256 })));
  expect(read.map((entries) => entries[0]?.size)).toEqual(pages.map((_, at) => at));
});
