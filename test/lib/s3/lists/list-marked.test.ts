import { describe, expect, test } from 'vitest';
import type { RepositoryRecord } from '../../../../lib/domain/data/repositories.ts';
import { limits } from '../../../../lib/domain/limits.ts';
import { parseXml, xmlChildren, xmlText } from '../../../../lib/domain/xml.ts';
import {
  anonymous,
  dataFixture,
  decide,
  type Fixture,
  outcome,
  relayed,
  sessionOptions,
  signed,
} from '../data-fixture.ts';

const start = 'hidden/tide-institute/raw-drafts/';

function listing(query: Record<string, string>, options = sessionOptions()) {
  return signed({ path: '/tide-institute', query: { uploads: '', ...query } }, options);
}

async function list(query: Record<string, string>) {
  const { request, rewrite } = await relayed(await listing({ prefix: 'raw-drafts/', ...query }));
  return { request, query: new URLSearchParams(request.rawQuery), rewrite };
}

const upload = (key: string, id: string) =>
  `<Upload><Key>${encodeURIComponent(key)}</Key><UploadId>${id}</UploadId><Initiator><ID>hidden</ID></Initiator>` +
  '<Owner><ID>hidden</ID></Owner><StorageClass>STANDARD</StorageClass><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>';

function storageAnswer(content: string, isTruncated = false) {
  const body =
    `<ListMultipartUploadsResult><Bucket>hidden-bucket</Bucket><Prefix>${start}</Prefix><EncodingType>url</EncodingType>` +
    `<IsTruncated>${isTruncated}</IsTruncated>${content}</ListMultipartUploadsResult>`;
  return { status: 200, headers: { server: 'hidden' }, body };
}

function read(body: string) {
  const root = parseXml(body, 'ListMultipartUploadsResult');
  return {
    text: (name: string) => xmlText(root, name),
    uploads: xmlChildren(root, 'Upload').map((child) => `${xmlText(child, 'Key')} ${xmlText(child, 'UploadId')}`),
    prefixes: xmlChildren(root, 'CommonPrefixes').map((child) => xmlText(child, 'Prefix')),
  };
}

describe('the request to storage', () => {
  test.each([
    [{}, { prefix: start, 'max-uploads': '1000' }],
    [{ prefix: 'raw-drafts/../ungranted/' }, { prefix: `${start}../ungranted/` }],
    [
      { delimiter: '/', 'max-uploads': '5' },
      { delimiter: '/', 'max-uploads': '5' },
    ],
    [{ 'max-uploads': '5000' }, { 'max-uploads': '1000' }],
    [
      { 'key-marker': 'raw-drafts/a b', 'upload-id-marker': 'id' },
      { 'key-marker': `${start}a b`, 'upload-id-marker': 'id' },
    ],
    [
      { 'key-marker': 'elsewhere/z', 'upload-id-marker': 'id' },
      { 'key-marker': null, 'upload-id-marker': null },
    ],
  ] as [Record<string, string>, Record<string, string | null>][])('%j', async (asked, expected) => {
    const { request, query } = await list(asked);
    expect(request).toMatchObject({ method: 'GET', rawPath: '/', host: 'hidden-bucket.s3.eu-west-1.amazonaws.com' });
    for (const [name, value] of Object.entries(expected)) expect(query.get(name), name).toBe(value);
    expect([query.has('uploads'), query.get('encoding-type')]).toEqual([true, 'url']);
    expect(query.get('prefix')?.startsWith(start)).toBe(true);
  });

  test('needs authorization data as fresh as a write', async () => {
    const fixture = dataFixture();
    await decide(await listing({ prefix: 'raw-drafts/' }), fixture);
    expect(fixture.agesAsked).toEqual([limits.writeAuthorizationTtlSeconds]);
  });

  test.each([
    [{ prefix: 'ungranted/' }, '403 AccessDenied'],
    [{ prefix: 'frozen/' }, '403 AccessDenied'],
    [{ prefix: 'ungranted' }, '403 AccessDenied'],
    [{ prefix: 'no-such' }, '403 AccessDenied'],
    [{ prefix: '', delimiter: '-' }, '501 NotImplemented'],
    [{ prefix: 'raw-drafts/', 'max-uploads': 'all' }, '400 InvalidArgument'],
    [{ prefix: 'raw-drafts/', 'encoding-type': 'xml' }, '400 InvalidArgument'],
  ] as [Record<string, string>, string][])('%j is answered with %s', async (query, expected) => {
    expect(await outcome(await listing(query))).toBe(expected);
  });
});

describe('the answer to the client', () => {
  test('does not repeat the common prefix of the last page', async () => {
    const { rewrite } = await list({ delimiter: '/', 'key-marker': 'raw-drafts/c/' });
    const prefix = (name: string) => `<CommonPrefixes><Prefix>${start}${name}</Prefix></CommonPrefixes>`;
    expect(read(rewrite(storageAnswer(prefix('c/') + prefix('d/'))).body).prefixes).toEqual(['raw-drafts/d/']);
  });

  test('is empty without a request to storage after the last key of the repository', async () => {
    const decision = await decide(await listing({ prefix: 'raw-drafts/', 'key-marker': 'raw-drafts0' }));
    if (decision.kind !== 'respond') throw new Error('asked storage');
    expect([read(decision.answer.body).uploads, decision.answer.status]).toEqual([[], 200]);
  });

  test('a page above the response limit of the edge comes in pieces, each ending at a marker', async () => {
    const { rewrite } = await list({ 'encoding-type': 'url' });
    const keys = Array.from({ length: 500 }, (_, index) => `${String(index).padStart(3, '0')}-${'é'.repeat(480)}`);
    const content = keys.flatMap((key) => [upload(start + key, 'id-1'), upload(start + key, 'id-2')]).join('');
    const answer = rewrite(storageAnswer(content));
    expect(Buffer.byteLength(answer.body)).toBeLessThan(limits.edgeAnswerBytesMax);
    const page = read(answer.body);
    expect([page.uploads.length > 100, page.text('IsTruncated')]).toEqual([true, 'true']);
    expect(`${page.text('NextKeyMarker')} ${page.text('NextUploadIdMarker')}`).toBe(page.uploads.at(-1));
  });
});

describe('a list above the repositories', () => {
  const names = ['raw', 'raw-1', 'raw-drafts', 'raw-frozen', 'raw-x', 'ungranted', 'zzz'];
  const writable = ['raw-1/', 'raw-drafts/', 'raw-x/', 'raw/', 'zzz/'];

  function fixtureOf(ids = names): Fixture {
    const fixture = dataFixture();
    const [template] = fixture.repositories as [RepositoryRecord];
    fixture.repositories = ids.map((repository_id) => {
      const on = repository_id.endsWith('frozen') ? 'read-only-store' : 'main-store';
      const mirrors = { [on]: { data_connection_id: on, prefix: `tide-institute/${repository_id}/` } };
      return { ...template, repository_id, uid: `uid of ${repository_id}`, data: { primary_mirror: on, mirrors } };
    });
    const held = fixture.repositories.filter(({ repository_id }) => repository_id !== 'ungranted');
    fixture.deps.access.readRights = async () => ({
      actingAccount: undefined,
      roles: [],
      serviceAccount: fixture.status.serviceAccount,
      grants: new Map(
        held.map(({ repository_id, uid }) => [repository_id, { access: 'read_write', repository_uid: uid }]),
      ),
    });
    return fixture;
  }

  /**
   * Follows a list to its end. The storage has the given uploads. Returns the pages and the prefixes that were
   * requested.
   */
  async function pagesOf(fixture: Fixture, stored: Record<string, string[]>, query: Record<string, string> = {}) {
    const pages: string[][] = [];
    const asked: string[] = [];
    for (let position: Record<string, string> = {}; ; ) {
      let decision = await decide(await listing({ ...query, ...position }), fixture);
      let body: string | undefined;
      while (decision.kind === 'relay') {
        const prefix = new URLSearchParams(decision.request.rawQuery).get('prefix') ?? '';
        asked.push(prefix.replace(/^.*institute\//, ''));
        const answer = storageAnswer(
          (stored[asked.at(-1) ?? ''] ?? []).map((key) => upload(prefix + key, 'id')).join(''),
        );
        const next = decision.next?.(answer);
        if (next === undefined) {
          body = decision.rewrite(answer).body;
          break;
        }
        decision = next;
      }
      if (decision.kind === 'respond') body = decision.answer.body;
      const page = read(body ?? '');
      pages.push([...page.uploads, ...page.prefixes.map(String)]);
      if (page.text('IsTruncated') === 'false') return { pages, asked };
      position = { 'key-marker': page.text('NextKeyMarker') ?? '' };
    }
  }

  test('has a page for each writable repository with uploads, in key order', async () => {
    const stored = { 'raw-drafts/': ['a', 'b'], 'raw-frozen/': ['c'], 'ungranted/': ['d'], 'zzz/': ['e'] };
    const { pages, asked } = await pagesOf(fixtureOf(), stored);
    expect(pages).toEqual([['raw-drafts/a id', 'raw-drafts/b id'], ['zzz/e id']]);
    expect(asked).toEqual(writable);
  });

  test('is limited by a prefix without a slash', async () => {
    const { pages, asked } = await pagesOf(fixtureOf(), { 'raw-drafts/': ['a'] }, { prefix: 'raw-' });
    expect([pages.flat(), asked]).toEqual([['raw-drafts/a id'], ['raw-1/', 'raw-drafts/', 'raw-x/']]);
  });

  test('sends at most ten storage requests for a page', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `many-${String(index).padStart(2, '0')}`);
    const { pages, asked } = await pagesOf(fixtureOf(ids), { 'many-24/': ['a'] });
    expect([pages, asked.length]).toEqual([[[], [], ['many-24/a id']], 25]);
  });

  test('with the delimiter / shows repositories as folders', async () => {
    const query = { delimiter: '/', 'max-uploads': '2' };
    const { pages, asked } = await pagesOf(fixtureOf(), {}, query);
    expect(pages.flat()).toEqual(['raw-1/', 'raw-drafts/', 'raw-frozen/', 'raw-x/', 'raw/', 'zzz/']);
    expect(asked).toEqual([]);
    expect(await outcome(await listing({ 'max-uploads': '0' }))).toBe('200');
  });

  test('is refused to a caller without write access to any repository', async () => {
    const readOnly = sessionOptions({ role: 'ReadOnly' });
    expect(await outcome(await listing({}, readOnly))).toBe('403 AccessDenied');
    const fixture = dataFixture();
    expect(await outcome(anonymous('/tide-institute', { rawQuery: 'uploads' }), fixture)).toBe('403 AccessDenied');
    expect([fixture.reads, fixture.agesAsked]).toEqual([0, []]);
  });
});

test('a list of versions has versions and deletion markers in the order of storage, with the names of the client', async () => {
  const query = { versions: '', prefix: 'raw-drafts/', 'key-marker': 'raw-drafts/a', 'version-id-marker': 'v0' };
  const { request, rewrite } = await relayed(await signed({ path: '/tide-institute', query }));
  expect(Object.fromEntries(new URLSearchParams(request.rawQuery))).toEqual({
    versions: '',
    prefix: start,
    'max-keys': '1000',
    'encoding-type': 'url',
    'key-marker': `${start}a`,
    'version-id-marker': 'v0',
  });
  const of = (element: string, key: string, id: string, more = '') =>
    `<${element}><Key>${start}${key}</Key><VersionId>${id}</VersionId><IsLatest>true</IsLatest>` +
    `<LastModified>t</LastModified>${more}<Owner><ID>hidden</ID></Owner></${element}>`;
  const rest = '<ETag>e</ETag><Size>1</Size>';
  const { body } = rewrite({
    status: 200,
    headers: {},
    body:
      `<ListVersionsResult><Name>hidden-bucket</Name><NextKeyMarker>${start}b</NextKeyMarker><IsTruncated>true</IsTruncated>` +
      `<NextVersionIdMarker>v1</NextVersionIdMarker>${of('DeleteMarker', 'b', 'v2')}${of('Version', 'b', 'v1', rest)}` +
      `${of('Version', '../other', 'v3').replace('raw-drafts/', '')}</ListVersionsResult>`,
  });
  const owner = '<Owner><ID>tide-institute</ID><DisplayName>tide-institute</DisplayName></Owner>';
  const common = '<IsLatest>true</IsLatest><LastModified>t</LastModified>';
  expect(body).toContain(
    '<IsTruncated>true</IsTruncated>' +
      `<DeleteMarker><Key>raw-drafts/b</Key><VersionId>v2</VersionId>${common}${owner}</DeleteMarker>` +
      `<Version><Key>raw-drafts/b</Key><VersionId>v1</VersionId>${common}${rest}${owner}</Version></ListVersionsResult>`,
  );
  expect(body).toContain(
    '<Name>tide-institute</Name><KeyMarker>raw-drafts/a</KeyMarker><VersionIdMarker>v0</VersionIdMarker>',
  );
  expect(body).toContain('<NextKeyMarker>raw-drafts/b</NextKeyMarker><NextVersionIdMarker>v1</NextVersionIdMarker>');
  expect(body).not.toContain('hidden');
});
