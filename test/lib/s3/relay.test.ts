import { describe, expect, test } from 'vitest';
import { outcome, relayed, signed, verifyForStorage } from './data-fixture.ts';

const path = '/tide-institute/raw-drafts/level=3/a b.csv';
const storageRawPath = '/hidden/tide-institute/raw-drafts/level%3D3/a%20b.csv';
const answer = (body: string, status = 200) => ({ status, headers: { 'x-amz-id-2': 'hidden' }, body });

describe('multipart uploads', () => {
  test('begin: headers of the object go along, names come back as the client knows them', async () => {
    const headers = { 'content-type': 'text/csv', 'x-amz-meta-a': 'b', 'accept-encoding': 'gzip', range: 'bytes=0-1' };
    const { request, body, rewrite } = await relayed(
      await signed({ method: 'POST', path, query: { uploads: '' }, headers }),
    );
    expect(request).toMatchObject({ method: 'POST', rawPath: storageRawPath, rawQuery: 'uploads=' });
    expect(request.headers).toMatchObject({ 'content-type': 'text/csv', 'x-amz-meta-a': 'b', 'content-length': '0' });
    expect(request.headers).not.toHaveProperty('accept-encoding');
    expect(request.headers).not.toHaveProperty('range');
    verifyForStorage(request);
    expect(body).toHaveLength(0);
    const shown = rewrite(
      answer(
        '<InitiateMultipartUploadResult><Bucket>hidden</Bucket><Key>hidden/k</Key><UploadId>u+1</UploadId></InitiateMultipartUploadResult>',
      ),
    );
    expect(shown.body).toContain(
      '<Bucket>tide-institute</Bucket><Key>raw-drafts/level=3/a b.csv</Key><UploadId>u+1</UploadId>',
    );
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  const complete =
    '<CompleteMultipartUpload><Part><ETag>"e"</ETag><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>';

  test('complete: the list of parts goes as it came, the location is one of this proxy', async () => {
    const { request, body, rewrite } = await relayed(
      await signed({
        method: 'POST',
        path,
        query: { uploadId: 'u+1' },
        body: complete,
        headers: { 'if-none-match': '*' },
      }),
    );
    expect(request).toMatchObject({ rawPath: storageRawPath, rawQuery: 'uploadId=u%2B1' });
    expect(request.headers).toMatchObject({ 'if-none-match': '*', 'content-length': String(complete.length) });
    expect(Buffer.from(body).toString()).toBe(complete);
    const shown = rewrite(
      answer(
        ' \n<?xml version="1.0"?>\n<CompleteMultipartUploadResult xmlns="x"><Location>https://hidden/</Location><Bucket>hidden</Bucket>' +
          '<Key>hidden</Key><ETag>&quot;e-1&quot;</ETag><ChecksumCRC32>x==</ChecksumCRC32></CompleteMultipartUploadResult>',
      ),
    );
    expect(shown.body).toContain(
      '<Location>https://data.example.org/tide-institute/raw-drafts/level%3D3/a%20b.csv</Location>' +
        '<Bucket>tide-institute</Bucket><Key>raw-drafts/level=3/a b.csv</Key>' +
        '<ETag>&#x22;e-1&#x22;</ETag><ChecksumCRC32>x==</ChecksumCRC32>',
    );
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  test('list parts: for those who may write', async () => {
    const { request, rewrite } = await relayed(
      await signed({
        path,
        query: { uploadId: 'u', 'max-parts': '2', 'part-number-marker': '1', 'x-id': 'ListParts' },
      }),
    );
    expect(request.rawQuery).toBe('uploadId=u&max-parts=2&part-number-marker=1');
    const shown = rewrite(
      answer(
        '<ListPartsResult><Bucket>hidden</Bucket><Key>hidden</Key><UploadId>u</UploadId><Initiator><ID>hidden</ID></Initiator>' +
          '<Owner><ID>hidden</ID></Owner><NextPartNumberMarker>3</NextPartNumberMarker><IsTruncated>true</IsTruncated>' +
          '<Part><PartNumber>2</PartNumber><ETag>"2"</ETag><Size>5</Size></Part><Part><PartNumber>3</PartNumber></Part></ListPartsResult>',
      ),
    );
    expect(shown.body).toContain('<Part><PartNumber>2</PartNumber><ETag>&#x22;2&#x22;</ETag><Size>5</Size></Part>');
    expect(shown.body).toContain('<Owner><ID>tide-institute</ID>');
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  test('a body that is not whole, or not the one that was signed, is refused', async () => {
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
  ])('the source %s becomes %s', async (source, expected) => {
    const { request, rewrite } = await relayed(await copy(source, { 'x-amz-metadata-directive': 'COPY' }));
    expect(request).toMatchObject({ method: 'PUT', rawPath: storageRawPath, rawQuery: '' });
    expect(request.headers).toMatchObject({ 'x-amz-copy-source': expected, 'x-amz-metadata-directive': 'COPY' });
    const shown = rewrite(
      answer('<CopyObjectResult><ETag>"e"</ETag><LastModified>2026</LastModified></CopyObjectResult>'),
    );
    expect(shown.body).toContain('<LastModified>2026</LastModified><ETag>&#x22;e&#x22;</ETag></CopyObjectResult>');
  });

  test('a part is copied in the same way', async () => {
    const query = { partNumber: '1', uploadId: 'u' };
    const { request, rewrite } = await relayed(
      await copy('/tide-institute/tide-gauges/a', { 'x-amz-copy-source-range': 'bytes=0-9' }, query),
    );
    expect(request.rawQuery).toBe('partNumber=1&uploadId=u');
    expect(request.headers).toMatchObject({ 'x-amz-copy-source-range': 'bytes=0-9' });
    expect(rewrite(answer('<CopyPartResult><ETag>"e"</ETag></CopyPartResult>')).body).toContain('&#x22;e&#x22;');
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
  ])('the source %j is answered with %s', async (source, expected) => {
    expect(await outcome(await copy(source))).toBe(expected);
  });
});

describe('deleting many objects', () => {
  const remove = (body: string) =>
    signed({
      method: 'POST',
      path: '/tide-institute',
      query: { delete: '' },
      body,
    });
  const object = (key: string) => `<Object><Key>${key}</Key></Object>`;
  const ofRepositories = (count: number) =>
    Array.from({ length: count }, (_, index) => object(`no-such-${index}/a`)).join('');

  test('keys are translated both ways, exactly', async () => {
    const keys = [
      'raw-drafts/a&amp;b',
      'raw-drafts/ x+%20&#13;',
      'raw-drafts/&#x1;',
      'raw-drafts/../ungranted/a',
      'raw-drafts/0012',
    ];
    const { request, body, rewrite } = await relayed(
      await remove(
        `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${keys.map(object).join('\n')}</Delete>`,
      ),
    );
    const sent = Buffer.from(body).toString();
    expect(request).toMatchObject({ method: 'POST', rawPath: '/', rawQuery: 'delete=' });
    expect(request.headers['content-md5']).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(sent.match(/<Key>.*?<\/Key>/g)).toEqual([
      '<Key>hidden/tide-institute/raw-drafts/a&#x26;b</Key>',
      '<Key>hidden/tide-institute/raw-drafts/ x+%20&#xd;</Key>',
      '<Key>hidden/tide-institute/raw-drafts/&#x1;</Key>',
      '<Key>hidden/tide-institute/raw-drafts/../ungranted/a</Key>',
      '<Key>hidden/tide-institute/raw-drafts/0012</Key>',
    ]);
    expect(sent).toContain('<Quiet>true</Quiet>');
    const shown = rewrite(
      answer(
        '<DeleteResult><Deleted><Key>hidden/tide-institute/raw-drafts/a&amp;b</Key><VersionId>hidden</VersionId></Deleted>' +
          '<Error><Key>hidden/tide-institute/raw-drafts/0012</Key><Code>AccessDenied</Code><Message>hidden</Message></Error>' +
          '<Error><Key>hidden/elsewhere</Key><Code>NoSuchBucket</Code><Message>hidden</Message></Error></DeleteResult>',
      ),
    );
    expect(shown.body).toContain('<Deleted><Key>raw-drafts/a&#x26;b</Key></Deleted>');
    expect(shown.body).toContain('<Error><Key>raw-drafts/0012</Key><Code>AccessDenied</Code>');
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  test.each([
    ['keys of eleven repositories', ofRepositories(11), '400 InvalidRequest'],
    ['a repository that may not be written', object('ungranted/a'), '403 AccessDenied'],
    ['a key without a repository', object('raw-drafts'), '403 AccessDenied'],
    ['a version', '<Object><Key>raw-drafts/a</Key><VersionId>1</VersionId></Object>', '501 NotImplemented'],
    ['a condition', '<Object><Key>raw-drafts/a</Key><ETag>x</ETag></Object>', '501 NotImplemented'],
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
