import { describe, expect, test } from 'vitest';
import { outcome, relayed, signed } from './data-fixture.ts';

const path = '/tide-institute/raw-drafts/level=3/a b.csv';
const storageRawPath = '/hidden/tide-institute/raw-drafts/level%3D3/a%20b.csv';
const answer = (body: string, status = 200) => ({ status, headers: { 'x-amz-id-2': 'hidden' }, body });

describe('multipart uploads', () => {
  const complete =
    '<CompleteMultipartUpload><Part><ETag>"e"</ETag><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>';

  test('are refused with a truncated or changed body', async () => {
    const request = await signed({ method: 'POST', path, query: { uploadId: 'u' }, body: complete });
    expect(await outcome({ ...request, body: { ...request.body, truncated: true } })).toBe('400 EntityTooLarge');
    const bytes = Buffer.from(complete.replace('>1<', '>2<'));
    expect(await outcome({ ...request, body: { bytes, truncated: false } })).toBe('400 XAmzContentSHA256Mismatch');
  });
});

describe('copies', () => {
  const copy = (source: string, more: Record<string, string> = {}, query: Record<string, string> = {}) =>
    signed({ method: 'PUT', path, query, headers: { 'x-amz-copy-source': source, ...more } });

  test.each([
    ['/tide-institute/tide-gauges/a%20b%2Bc', '/hidden-bucket/hidden/tide-institute/tide-gauges/a%20b%2Bc'],
    ['tide-institute/tide-gauges/a//b', '/hidden-bucket/hidden/tide-institute/tide-gauges/a//b'],
    ['tide-institute%2Ftide-gauges%2Fa', '/hidden-bucket/hidden/tide-institute/tide-gauges/a'],
    ['/tide-institute/tide-gauges/../../x', '/hidden-bucket/hidden/tide-institute/tide-gauges/../../x'],
  ])('from the source %s become copies from %s', async (source, expected) => {
    const { request, rewrite } = await relayed(await copy(source, { 'x-amz-metadata-directive': 'COPY' }));
    expect(request).toMatchObject({ method: 'PUT', rawPath: storageRawPath, rawQuery: '' });
    expect(request.headers).toMatchObject({ 'x-amz-copy-source': expected, 'x-amz-metadata-directive': 'COPY' });
    const shown = rewrite(
      answer('<CopyObjectResult><ETag>"e"</ETag><LastModified>2026</LastModified></CopyObjectResult>'),
    );
    expect(shown.body).toContain('<LastModified>2026</LastModified><ETag>&#x22;e&#x22;</ETag></CopyObjectResult>');
  });

  test.each([
    ['/tide-institute/ungranted/a', '403 AccessDenied'],
    ['/tide-institute/no-such-repository/a', '403 AccessDenied'],
    ['/other-account/tide-gauges/a', '403 AccessDenied'],
    ['/hidden-bucket/hidden/tide-institute/ungranted/a', '403 AccessDenied'],
    ['/tide-institute/elsewhere/a', '501 NotImplemented'],
    ['/tide-institute/tide-gauges/a?versionId=3', '501 NotImplemented'],
    ['arn:aws:s3:eu-west-1:111122223333:accesspoint/x/object/a', '400 InvalidArgument'],
    ['arn%3Aaws%3As3:::hidden-bucket/tide-gauges/a', '400 InvalidArgument'],
    ['/tide-institute/tide-gauges', '400 InvalidArgument'],
    ['/tide-institute/tide-gauges/', '400 InvalidArgument'],
    ['/tide-institute', '400 InvalidArgument'],
    ['', '400 InvalidArgument'],
    ['/tide-institute/tide-gauges/%ff', '400 InvalidRequest'],
    ['/tide-institute/tide-gauges/a?other=1', '400 InvalidArgument'],
    ['/tide-institute/tide-gauges/100%', '400 InvalidArgument'],
    ['/tide-institute/tide-gauges/%ZZ', '400 InvalidArgument'],
    ['/tide-institute/tide-gauges/%C3%/a', '400 InvalidArgument'],
  ])('from the source %j are answered with %s', async (source, expected) => {
    expect(await outcome(await copy(source))).toBe(expected);
  });
});

describe('deleting many objects', () => {
  const remove = (body: string) => signed({ method: 'POST', path: '/tide-institute', query: { delete: '' }, body });
  const object = (key: string) => `<Object><Key>${key}</Key></Object>`;
  const ofRepositories = (count: number) =>
    Array.from({ length: count }, (_, index) => object(`no-such-${index}/a`)).join('');

  test.each([
    ['keys of eleven repositories', ofRepositories(11), '400 InvalidRequest'],
    ['a repository that may not be written', object('ungranted/a'), '403 AccessDenied'],
    ['a key without a repository', object('raw-drafts'), '403 AccessDenied'],
    ['a version', '<Object><Key>raw-drafts/a</Key><VersionId>1</VersionId></Object>', '501 NotImplemented'],
    ['a condition of size', '<Object><Key>raw-drafts/a</Key><Size>1</Size></Object>', '501 NotImplemented'],
    ['two keys in one object', '<Object><Key>raw-drafts/a</Key><Key>raw-drafts/b</Key></Object>', '400 MalformedXML'],
    ['no key', '<Object></Object>', '400 MalformedXML'],
    ['no object', '', '400 MalformedXML'],
    ['1,001 objects', object('raw-drafts/a').repeat(1001), '400 MalformedXML'],
    ['an unknown entity', object('raw-drafts/&nbsp;'), '400 MalformedXML'],
    ['half a surrogate pair', object('raw-drafts/&#xD800;'), '400 MalformedXML'],
    ['CDATA', object('<![CDATA[raw-drafts/a]]>'), '400 MalformedXML'],
    ['an element named __proto__, like any unknown one', `${object('raw-drafts/a')}<__proto__>x</__proto__>`, 'relay'],
    ['an element that is not closed', '<Object><Key>raw-drafts/a</Object>', '400 MalformedXML'],
  ])('%s', async (_, content, expected) => {
    expect(await outcome(await remove(`<Delete>${content}</Delete>`))).toBe(expected);
  });

  test.each([
    [
      'a document type',
      '<!DOCTYPE Delete [<!ENTITY a "raw-drafts/a">]><Delete><Object><Key>&a;</Key></Object></Delete>',
    ],
    ['another document', '<Remove/>'],
    ['no XML', 'raw-drafts/a'],
    ['nothing', ''],
  ])('%s is malformed', async (_, body) => {
    expect(await outcome(await remove(body))).toBe('400 MalformedXML');
  });
});
