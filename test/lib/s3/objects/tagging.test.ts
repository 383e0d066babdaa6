import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { anonymous, outcome, relayed, signed, verifyForStorage } from '../data-fixture.ts';

const path = '/tide-institute/raw-drafts/a b.csv';
const query = { tagging: '' };
const place = { rawPath: '/hidden/tide-institute/raw-drafts/a%20b.csv', rawQuery: 'tagging=' };
const tags = '<Tagging><TagSet><Tag><Key>station</Key><Value>Brest &amp; Cuxhaven</Value></Tag></TagSet></Tagging>';
const answer = (body: string, status = 200, headers = {}) => ({ status, headers, body });
const codeOf = ({ body }: { body: string }) => /<Code>(.*)<\/Code>/.exec(body)?.[1];

describe('the tags of an object', () => {
  test('are rendered from the document of storage', async () => {
    const { request, rewrite } = await relayed(await signed({ path, query }));
    expect(request).toMatchObject({ method: 'GET', ...place });
    const shown = rewrite(
      answer(`<?xml version="1.0"?>\n${tags}`, 200, { 'x-amz-version-id': 'v', 'x-amz-id-2': 'hidden' }),
    );
    expect(shown).toEqual({
      status: 200,
      headers: { 'content-type': 'application/xml', 'x-amz-request-id': 'request-1', 'x-amz-version-id': 'v' },
      body:
        '<?xml version="1.0" encoding="UTF-8"?>\n<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet><Tag>' +
        '<Key>station</Key><Value>Brest &#x26; Cuxhaven</Value></Tag></TagSet></Tagging>',
    });
  });

  test('without a tag are an empty set', async () => {
    const { rewrite } = await relayed(await signed({ path, query }));
    for (const body of ['<Tagging><TagSet/></Tagging>', '<Tagging/>'])
      expect(rewrite(answer(body)).body).toContain('><TagSet></TagSet></Tagging>');
  });

  test('an error in an answer of 200 becomes an error with our message', async () => {
    const { rewrite } = await relayed(await signed({ path, query }));
    const shown = rewrite(
      answer('<Error><Code>NoSuchKey</Code><Message>hidden-bucket</Message><Key>hidden</Key></Error>'),
    );
    expect([shown.status, codeOf(shown)]).toEqual([404, 'NoSuchKey']);
    expect(shown.body).not.toContain('hidden');
    expect(() => rewrite(answer('<html>hidden-bucket</html>'))).toThrow('not a Tagging');
  });

  test('need the right to read the object', async () => {
    expect(await outcome(anonymous('/tide-institute/tide-gauges/a', { rawQuery: 'tagging' }))).toBe('relay');
    expect(await outcome(anonymous('/tide-institute/raw-drafts/a', { rawQuery: 'tagging' }))).toBe('403 AccessDenied');
  });
});

describe('changing the tags of an object', () => {
  const put = (body: string, headers: Record<string, string> = {}) =>
    signed({ method: 'PUT', path, query, body, headers });

  test('sends the unchanged body with a digest', async () => {
    const { request, body, rewrite } = await relayed(await put(tags, { 'content-type': 'application/xml' }));
    expect(request).toMatchObject({ method: 'PUT', ...place });
    expect(request.headers).toMatchObject({
      'content-type': 'application/xml',
      'content-length': String(tags.length),
      'content-md5': hash('md5', tags, 'base64'),
    });
    verifyForStorage(request);
    expect(Buffer.from(body).toString()).toBe(tags);
    expect(rewrite(answer('<Leaky/>', 200, { 'x-amz-version-id': 'v' }))).toEqual({
      status: 200,
      headers: { 'x-amz-request-id': 'request-1', 'x-amz-version-id': 'v' },
      body: '',
    });
  });

  test('with a wrong or invalid digest is refused before any request to storage', async () => {
    expect(await outcome(await put(tags, { 'content-md5': hash('md5', 'x', 'base64') }))).toBe('400 BadDigest');
    expect(await outcome(await put(tags, { 'content-md5': 'x' }))).toBe('400 InvalidDigest');
    expect(await outcome(await put(tags, { 'x-amz-checksum-crc32': 'AAAAAA==' }))).toBe('400 BadDigest');
  });

  test('a deletion of all tags has an empty answer', async () => {
    const { request, rewrite } = await relayed(await signed({ method: 'DELETE', path, query }));
    expect(request).toMatchObject({ method: 'DELETE', ...place });
    expect(request.headers).not.toHaveProperty('content-length');
    expect(rewrite(answer('', 204))).toEqual({ status: 204, headers: { 'x-amz-request-id': 'request-1' }, body: '' });
  });
});
