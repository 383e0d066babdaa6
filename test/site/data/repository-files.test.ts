import { HeadObjectCommand, PutObjectCommand, PutObjectTaggingCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { requestCredentials } from '../../../site/data/credentials.ts';
import { Mover } from '../../../site/data/move-object.ts';
import { listEvery } from '../../../site/data/objects.ts';
import { signLink } from '../../../site/data/shared-links.ts';
import { type Credentials, s3Client, signIn } from '../../service/data-clients.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { apiOf, drafts, fileOf, mebibyte, repositoryOf, untilTheEnd } from '../upload/upload-fixture.ts';

let service: SeededService;
let fixture: Awaited<ReturnType<typeof repositoryOf>>;
let publisher: Credentials;
beforeAll(async () => {
  service = await startSeededService();
  publisher = await signIn(service, service.key);
  fixture = await repositoryOf(service);
});
afterAll(() => service.close());

const signal = untilTheEnd();
const awkward = ['plain.txt', "a+b c (1)!'*~é%?#&=;@:$,.txt", 'ünï/<b>&amp;"\'.csv', 'a//b', '🌊/🌊', 'a\\b', '%2e%2e'];
const put = (key: string, body: string | Blob = key) =>
  fixture.data.objects.put(key, typeof body === 'string' ? new Blob([body]) : body, {}, { signal });

describe("the client of a repository's files", () => {
  test('lists folders and pages with unchanged names', async () => {
    for (const name of awkward) await put(`list/${name}`);
    const seen: string[] = [];
    let continuation: string | undefined;
    do {
      const page = await fixture.data.objects.list(
        { prefix: 'list/', delimiter: '/', pageMax: 3, continuation },
        signal,
      );
      seen.push(...page.objects.map(({ key }) => key), ...page.folders);
      continuation = page.next;
    } while (continuation !== undefined);
    expect(seen.toSorted()).toEqual(
      ['plain.txt', awkward[1], 'ünï/', 'a/', '🌊/', 'a\\b', '%2e%2e'].map((name) => `list/${name}`).toSorted(),
    );
    const everything = await listEvery(fixture.data.objects, 'list/', { max: 100, signal });
    expect(everything.objects.map(({ key }) => key).toSorted()).toEqual(
      awkward.map((name) => `list/${name}`).toSorted(),
    );
    expect(await listEvery(fixture.data.objects, 'list/', { max: 2, signal })).toMatchObject({ isMore: true });
  });

  test('deletes exactly the named objects in one request', async () => {
    for (const name of awkward) await put(`delete/${name}`);
    await put('delete/stays');
    const failed = await fixture.data.objects.removeMany(
      awkward.map((name) => `delete/${name}`),
      signal,
    );
    expect(failed).toEqual([]);
    const { objects } = await fixture.data.objects.list({ prefix: 'delete/' }, signal);
    expect(objects.map(({ key }) => key)).toEqual(['delete/stays']);
  });

  it.each(awkward)('shares a file by a link: %s', async (name) => {
    await put(`shared/${name}`, 'shared');
    const api = await apiOf(service, 'ada');
    const credentials = await requestCredentials({ api, location: drafts, role: 'ReadOnly' });
    const { dataUrl } = service;
    const link = await signLink(
      { dataUrl, location: drafts, key: `shared/${name}`, seconds: 7 * 24 * 3600 },
      credentials,
    );
    expect(link.endsAt).toBeLessThanOrEqual(credentials.endsAt);
    expect(link.endsAt - Date.now()).toBeGreaterThan(3500_000);
    expect(link.url).not.toContain(credentials.secretAccessKey);
    const answer = await fetch(link.url);
    const options = { dataUrl, location: drafts, key: `shared/${name}`, seconds: 300, isDownload: true };
    const saved = await fetch((await signLink(options, credentials)).url);
    expect([saved.status, saved.headers.get('content-disposition')]).toEqual([200, 'attachment']);
    expect([answer.status, await answer.text()]).toEqual([200, 'shared']);
    expect((await fetch(link.url, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect((await fetch(link.url.replace('shared/', 'list/'))).status).toBe(403);
  });
});

it.each(['a/../b', '../tide-gauges/b', 'a/./b', '..'])(
  'the client rejects a key with a dot segment before any request: %s',
  async (key) => {
    await put('b');
    const api = await apiOf(service, 'ada');
    const credentials = await requestCredentials({ api, location: drafts, role: 'ReadOnly' });
    const refused = { kind: 'failed', message: expect.stringContaining('no browser can request it') };
    fixture.line.sent.length = 0;
    await expect(fixture.data.objects.find(key, signal)).rejects.toMatchObject(refused);
    await expect(new Mover(fixture.send, drafts).move(key, 'c', { signal })).rejects.toMatchObject(refused);
    await expect(new Mover(fixture.send, drafts).move('b', key, { signal })).rejects.toMatchObject(refused);
    const options = { dataUrl: service.dataUrl, location: drafts, key, seconds: 300 };
    await expect(signLink(options, credentials)).rejects.toMatchObject(refused);
    expect(fixture.line.sent).toEqual(['HEAD ']);
  },
);

describe('a move', () => {
  const mover = () => new Mover(fixture.send, drafts);
  const s3 = () => s3Client(service, publisher);
  const object = (key: string) => ({ Bucket: drafts.account_id, Key: `${drafts.repository_id}/${key}` });

  it.each([
    ['at once', {}, 'x'.repeat(1000)],
    ['in parts', { atOnceBytesMax: 0, partBytesMin: 5 * mebibyte }, fileOf('large', 11 * mebibyte)],
  ])('%s keeps metadata and tags, and removes the source', async (how, sizes, body) => {
    const [from, to] = [`move/${how} é+.csv`, `moved/${how}/new name.csv`];
    await s3().send(
      new PutObjectCommand({
        ...object(from),
        Body: typeof body === 'string' ? body : Buffer.from(await body.arrayBuffer()),
        ContentType: 'text/csv',
        CacheControl: 'max-age=7',
        Metadata: { station: 'brest' },
        ChecksumAlgorithm: 'CRC32',
      }),
    );
    await s3().send(
      new PutObjectTaggingCommand({ ...object(from), Tagging: { TagSet: [{ Key: 'a b', Value: 'c+d' }] } }),
    );
    const told: number[] = [];
    await mover().move(from, to, { signal, onProgress: (bytes) => told.push(bytes), ...sizes });
    const head = await s3().send(new HeadObjectCommand(object(to)));
    expect(head).toMatchObject({ ContentType: 'text/csv', CacheControl: 'max-age=7', Metadata: { station: 'brest' } });
    expect(told.at(-1)).toBe(head.ContentLength);
    expect(await fixture.data.objects.find(from, signal)).toBeUndefined();
    expect(await fixture.data.multipart.listUnfinished('moved/', signal)).toEqual([]);
    const answer = await fixture.send({ what: 'tags', method: 'GET', key: to, query: { tagging: '' }, signal });
    expect(answer.text).toContain('<Key>a b</Key><Value>c+d</Value>');
  });

  test.each([
    ['at once', {}],
    ['in parts', { atOnceBytesMax: 0, partBytesMin: 5 * mebibyte }],
  ])('%s rejects a taken name, and loses nothing when a copy fails', async (_, sizes) => {
    await put('kept/from', fileOf('from', 6 * mebibyte));
    await put('kept/taken', 'taken');
    await expect(mover().move('kept/from', 'kept/taken', { signal, ...sizes })).rejects.toMatchObject({
      kind: 'exists',
    });
    expect((await fixture.data.objects.find('kept/taken', signal))?.bytes).toBe(5);
    fixture.line.onTheWay = async (request, send) =>
      request.headers['x-amz-copy-source'] === undefined
        ? send(request)
        : { status: 400, headerNames: [], header: () => null, text: '<Error><Code>InvalidRequest</Code></Error>' };
    await expect(mover().move('kept/from', 'kept/to', { signal, ...sizes })).rejects.toMatchObject({ kind: 'failed' });
    // Another client writes the object while it is copied.
    fixture.line.onTheWay = async (request, send) => {
      if (request.headers['x-amz-copy-source'] !== undefined) {
        fixture.line.onTheWay = (next, on) => on(next);
        await put('kept/from', 'newer');
      }
      return send(request);
    };
    await expect(mover().move('kept/from', 'kept/to', { signal, ...sizes })).rejects.toMatchObject({ kind: 'changed' });
    expect((await fixture.data.objects.find('kept/from', signal))?.bytes).toBe(5);
    expect(await fixture.data.multipart.listUnfinished('kept/', signal)).toEqual([]);
    await fixture.data.objects.remove('kept/to', signal);
    await expect(mover().move('kept/absent', 'kept/to', { signal, ...sizes })).rejects.toMatchObject({
      kind: 'absent',
    });
  });
});
