import { describe, expect, test } from 'vitest';
import { limits } from '../../../../lib/domain/limits.ts';
import { parseXml, xmlChildren, xmlText } from '../../../../lib/domain/xml.ts';
import { dataFixture, decide, outcome, relayed, sessionOptions, signed } from '../data-fixture.ts';

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
    const world = dataFixture();
    await decide(await listing({ prefix: 'raw-drafts/' }), world);
    expect(world.agesAsked).toEqual([limits.writeAuthorizationTtlSeconds]);
  });

  test.each([
    [{ prefix: 'ungranted/' }, '403 AccessDenied'],
    [{ prefix: 'frozen/' }, '403 AccessDenied'],
    [{ prefix: '' }, '501 NotImplemented'],
    [{ prefix: 'raw-drafts' }, '501 NotImplemented'],
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

  test('a page larger than the edge may answer with in pieces, each ending at a marker', async () => {
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
