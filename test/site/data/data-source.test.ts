import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CredentialSource, requestCredentials } from '../../../site/data/credentials.ts';
import { createDataSource, type DataSource, readBeginning } from '../../../site/data/data-source.ts';
import { rangeTransport } from '../../../site/data/transport.ts';
import { serveInTest } from '../../service/http-server.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { apiOf, drafts, repositoryOf } from '../upload/upload-fixture.ts';

const { signal } = new AbortController();

describe('the source of a private repository', () => {
  const awkward = ["a+b c (1)!'*~é%?#&=;@:$,.txt", 'ünï/<b>&amp;"\'.csv', 'a//b', 'a\\b', '%2e%2e'];
  let service: SeededService;
  let source: DataSource;
  beforeAll(async () => {
    service = await startSeededService();
    const { data } = await repositoryOf(service);
    for (const key of [...awkward, 'empty']) {
      await data.objects.put(`read/${key}`, new Blob([key === 'empty' ? '' : key]), {}, { signal });
    }
    const api = await apiOf(service, 'ada');
    const credentials = new CredentialSource(() => requestCredentials({ api, location: drafts, role: 'ReadOnly' }));
    source = createDataSource({ dataUrl: service.dataUrl, location: drafts, credentials, signal });
  });
  afterAll(() => service.close());

  it.each(awkward)('finds and reads %s', async (key) => {
    const bytes = new TextEncoder().encode(key);
    const found = await source.find(`read/${key}`);
    expect(found?.bytes).toBe(bytes.length);
    expect(await source.read(`read/${key}`, 0, 1000, found?.etag)).toEqual(bytes);
    expect(await source.read(`read/${key}`, 1, 3)).toEqual(bytes.slice(1, 3));
  });

  it('lists a folder', async () => {
    const { files, folders, next } = await source.list('read/', undefined);
    expect(next).toBeUndefined();
    expect(folders).toEqual(['read/a/', 'read/ünï/']);
    expect(files.map(({ key }) => key)).toContain(`read/${awkward[0]}`);
  });

  it('distinguishes an empty file from a missing one', async () => {
    expect(await readBeginning(source, 'read/empty', 10)).toEqual(new Uint8Array());
    expect(await readBeginning(source, 'read/missing', 10)).toBeUndefined();
    expect(await source.find('read/missing')).toBeUndefined();
  });

  it('rejects a read of a file that has changed', async () => {
    await expect(source.read('read/a\\b', 0, 3, '"another"')).rejects.toMatchObject({ status: 412 });
  });

  it('links to one file, with the content type that the page chose, and lets the browser store no copy', async () => {
    const answer = await fetch(await source.link('read/a\\b', { contentType: 'application/pdf' }));
    const { status, headers } = answer;
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'application/pdf',
      'no-store',
    ]);
  });
});

describe('a storage that ignores ranges', () => {
  const read = async (url: string, range: string) =>
    rangeTransport({ method: 'GET', url, headers: { range }, signal }).then(({ bytes }) => bytes?.length);

  it('sends no more than the requested bytes to the page, and only from the start of the file', async () => {
    const url = await serveInTest((_, response) => response.end(Buffer.alloc(5_000_000)));
    expect(await read(url, 'bytes=0-99')).toBe(100);
    await expect(read(url, 'bytes=100-199')).rejects.toThrow('not the requested range');
  });
});
