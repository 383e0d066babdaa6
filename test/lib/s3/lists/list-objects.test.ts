import { describe, expect, test } from 'vitest';
import type { BufferedResponse } from '../../../../lib/domain/data/decision.ts';
import { limits } from '../../../../lib/domain/limits.ts';
import { parseXml, xmlChildren, xmlText } from '../../../../lib/domain/xml.ts';
import { anonymous, decide, outcome, relayed } from '../data-fixture.ts';

const start = 'hidden/tide-institute/tide-gauges/';

function list(rawQuery: string) {
  return relayed(anonymous('/tide-institute', { rawQuery }));
}

/** Builds the response of storage: its keys and prefixes, in the requested encoding. */
function storageAnswer(
  keys: string[],
  prefixes: string[] = [],
  more = '',
  encode: (key: string) => string = encodeURIComponent,
): BufferedResponse {
  const contents = keys.map(
    (key) =>
      `<Contents><Key>${encode(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>` +
      '<ETag>&quot;e&quot;</ETag><Size>007</Size><StorageClass>STANDARD</StorageClass>' +
      '<Owner><ID>hidden-owner</ID></Owner></Contents>',
  );
  const common = prefixes.map((prefix) => `<CommonPrefixes><Prefix>${encode(prefix)}</Prefix></CommonPrefixes>`);
  const body = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
<Name>hidden-bucket</Name><Prefix>${start}</Prefix><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType>
${more.includes('IsTruncated') ? '' : '<IsTruncated>false</IsTruncated>'}${more}${contents.join('')}${common.join('')}</ListBucketResult>`;
  return { status: 200, headers: { server: 'hidden', 'x-amz-id-2': 'hidden', 'x-amz-bucket-region': 'hidden' }, body };
}

function read({ body }: BufferedResponse) {
  const root = parseXml(body, 'ListBucketResult');
  return {
    root,
    text: (name: string) => xmlText(root, name),
    keys: xmlChildren(root, 'Contents').map((child) => xmlText(child, 'Key')),
    prefixes: xmlChildren(root, 'CommonPrefixes').map((child) => xmlText(child, 'Prefix')),
  };
}

describe('the request to storage', () => {
  test.each<[rawQuery: string, expected: Record<string, string | undefined>]>([
    ['list-type=2&prefix=tide-gauges/', { 'list-type': '2', prefix: start }],
    ['prefix=tide-gauges/a%20b%2Fc', { prefix: `${start}a b/c` }],
    ['prefix=tide-gauges//&delimiter=/', { prefix: `${start}/`, delimiter: '/' }],
    ['prefix=tide-gauges/&max-keys=5', { prefix: start, 'max-keys': '5' }],
    ['prefix=tide-gauges/&max-keys=5000', { prefix: start, 'max-keys': '1000' }],
    ['prefix=tide-gauges/&marker=a', { marker: undefined }],
    ['list-type=2&prefix=tide-gauges/&fetch-owner=true', { 'fetch-owner': undefined }],
  ])('?%s becomes %j', async (rawQuery, expected) => {
    const { request } = await list(rawQuery);
    expect(request).toMatchObject({ method: 'GET', rawPath: '/', host: 'hidden-bucket.s3.eu-west-1.amazonaws.com' });
    const query = new URLSearchParams(request.rawQuery);
    for (const [name, value] of Object.entries(expected)) expect(query.get(name) ?? undefined, name).toBe(value);
    expect(query.get('encoding-type')).toBe('url');
    expect(query.get('prefix')?.startsWith(start)).toBe(true);
    expect(request.headers['authorization']).toContain('Credential=AKSTORAGE/');
  });

  test.each([
    ['list-type=2&prefix=tide-gauges/&continuation-token=s-x%2B%3D', '400 InvalidArgument'],
    ['list-type=2&prefix=raw-drafts/', '403 AccessDenied'],
    ['list-type=2&prefix=../', '403 AccessDenied'],
    ['list-type=2&prefix=/', '403 AccessDenied'],
  ])('?%s is answered with %s', async (rawQuery, expected) => {
    expect(await outcome(anonymous('/tide-institute', { rawQuery }))).toBe(expected);
  });

  test('a start after all keys of the repository is an empty list without a request to storage', async () => {
    const rawQuery = 'list-type=2&prefix=tide-gauges/&start-after=tide-gauges0';
    const decision = await decide(anonymous('/tide-institute', { rawQuery }));
    if (decision.kind !== 'respond') throw new Error('asked storage');
    const page = read(decision.answer);
    expect(['KeyCount', 'IsTruncated', 'StartAfter'].map(page.text)).toEqual(['0', 'false', 'tide-gauges0']);
  });
});

describe('the answer to the client', () => {
  test('has the next marker of version 1, without the common prefix of the last page', async () => {
    const { rewrite } = await list('prefix=tide-gauges/&delimiter=/&marker=tide-gauges/a/');
    const more = `<IsTruncated>true</IsTruncated><NextMarker>${start}c%2F</NextMarker>`;
    const page = read(rewrite(storageAnswer([], [`${start}a/`, `${start}c/`], more)));
    expect(page.prefixes).toEqual(['tide-gauges/c/']);
    expect([page.text('Marker'), page.text('NextMarker')]).toEqual(['tide-gauges/a/', 'tide-gauges/c/']);
  });

  test('has the keys of a storage that does not encode them', async () => {
    const { rewrite } = await list('list-type=2&prefix=tide-gauges/');
    const answer = storageAnswer([`${start}a%20+b`], [], '', (key) => key);
    const page = read(rewrite({ ...answer, body: answer.body.replace('<EncodingType>url</EncodingType>', '') }));
    expect(page.keys).toEqual(['tide-gauges/a%20+b']);
  });

  test.each([
    ['not XML', 'hello'],
    ['another document', '<InitiateMultipartUploadResult/>'],
  ])('%s from storage is thrown as a failure of the service', async (_, body) => {
    const { rewrite } = await list('list-type=2&prefix=tide-gauges/');
    expect(() => rewrite({ status: 200, headers: {}, body })).toThrow(/not a ListBucketResult/);
  });

  test.each([
    [301, '<Error><Code>PermanentRedirect</Code><Endpoint>hidden</Endpoint></Error>'],
    [404, '<Error><Code>NoSuchBucket</Code><BucketName>hidden</BucketName></Error>'],
    [400, '<Error><Code>AuthorizationHeaderMalformed</Code><Region>hidden</Region></Error>'],
    [404, '<html>hidden</html>'],
  ])('a %i because of the configuration is thrown for the log: %s', async (status, body) => {
    const { rewrite } = await list('list-type=2&prefix=tide-gauges/');
    const message = expect.stringMatching(/^The storage behind this repository cannot be used as it is configured/);
    const cause = expect.objectContaining({ message: expect.stringContaining(`the storage answered ${status}`) });
    const failure = expect.objectContaining({ code: 'internal', message, cause });
    expect(() => rewrite({ status, headers: {}, body })).toThrow(failure);
  });
});

describe('a page above the response limit of the edge', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${String(index).padStart(4, '0')}-${'é'.repeat(480)}`);

  test.each([2, 1] as const)('comes in pieces that form the whole list in version %i', async (version) => {
    const isPrefix = (name: string) => Number(name.slice(0, 4)) % 3 === 0;
    const seen: (string | undefined)[] = [];
    let position = '';
    let pages = 0;
    do {
      const { request, rewrite } = await list(
        `${version === 2 ? 'list-type=2&' : ''}prefix=tide-gauges/&delimiter=/&encoding-type=url${position}`,
      );
      const query = new URLSearchParams(request.rawQuery);
      const after = query.get(version === 2 ? 'start-after' : 'marker') ?? '';
      // A store that lists a common prefix again after `start-after` names it. The protocol allows this.
      const due = names.filter((name) => start + name + (isPrefix(name) ? '/zzz' : '') > after);
      const answer = rewrite(
        storageAnswer(
          due.filter((name) => !isPrefix(name)).map((name) => start + name),
          due.filter(isPrefix).map((name) => `${start}${name}/`),
        ),
      );
      expect(Buffer.byteLength(answer.body)).toBeLessThan(limits.edgeAnswerBytesMax);
      const page = read(answer);
      seen.push(...page.keys, ...page.prefixes);
      const next = page.text(version === 2 ? 'NextContinuationToken' : 'NextMarker');
      expect(page.text('IsTruncated')).toBe(String(next !== undefined));
      position = next === undefined ? '' : version === 2 ? `&continuation-token=${next}` : `&marker=${next}`;
      pages += 1;
    } while (position !== '');
    expect(pages).toBeGreaterThan(1);
    const expected = names.map((name) => `tide-gauges/${name}${isPrefix(name) ? '/' : ''}`);
    expect(seen.map((name) => decodeURIComponent(name ?? '')).sort()).toEqual(expected);
  });
});
