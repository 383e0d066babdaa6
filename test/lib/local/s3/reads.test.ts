import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bucket, type OpenStore, openStore } from './open-store.ts';

const path = `/${bucket}/digits`;
const digits = '0123456789';
let opened: OpenStore;
let etag: string;
let modified: Date;
beforeAll(async () => {
  opened = await openStore();
  await opened.s3.send(
    new PutObjectCommand({ Bucket: bucket, Key: 'digits', Body: digits, ContentType: 'text/plain' }),
  );
  await opened.send({ method: 'PUT', path: `/${bucket}/empty` });
  const head = await opened.s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'digits' }));
  etag = head.ETag ?? '';
  modified = head.LastModified ?? new Date();
});
afterAll(() => opened.close());

describe('ranges', () => {
  test.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=7-99', '789', 'bytes 7-9/10'],
    ['bytes=0-', digits, 'bytes 0-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', digits, 'bytes 0-9/10'],
  ])('%s returns %j', async (range, body, contentRange) => {
    const answer = await opened.send({ path, headers: { range } });
    expect([answer.status, answer.body]).toEqual([206, body]);
    expect(answer.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(body.length),
      etag,
    });
    const head = await opened.send({ method: 'HEAD', path, headers: { range } });
    expect([head.status, head.headers['content-length'], head.body]).toEqual([206, String(body.length), '']);
  });

  test.each([['bytes=10-'], ['bytes=10-12'], ['bytes=-0']])('%s outside the object gets 416', async (range) => {
    const answer = await opened.send({ path, headers: { range } });
    expect([answer.status, answer.code]).toEqual([416, 'InvalidRange']);
    expect(answer.headers['content-range']).toBe('bytes */10');
    expect(answer.body).toContain('<ActualObjectSize>10</ActualObjectSize>');
  });

  test.each([['bytes=0-'], ['bytes=-5']])('%s of an empty object gets 416', async (range) => {
    expect((await opened.send({ path: `/${bucket}/empty`, headers: { range } })).status).toBe(416);
  });

  test.each([['bytes=4-2'], ['bytes=a-b'], ['bytes=-'], ['items=0-1'], ['bytes=0-1,3-4']])(
    '%s is ignored',
    async (range) => {
      const answer = await opened.send({ path, headers: { range } });
      expect([answer.status, answer.body]).toEqual([200, digits]);
    },
  );

  test('If-Range with another ETag returns the whole object', async () => {
    const range = { range: 'bytes=0-1' };
    expect((await opened.send({ path, headers: { ...range, 'if-range': '"other"' } })).body).toBe(digits);
    expect((await opened.send({ path, headers: { ...range, 'if-range': etag } })).body).toBe('01');
  });
});

describe('conditions', () => {
  const earlier = () => new Date(modified.getTime() - 60_000).toUTCString();
  const same = () => modified.toUTCString();
  const other = '"00000000000000000000000000000000"';
  const cases: [title: string, headers: () => Record<string, string>, status: number][] = [
    ['If-Match with the ETag', () => ({ 'if-match': etag }), 200],
    ['If-Match with the ETag unquoted', () => ({ 'if-match': etag.replaceAll('"', '') }), 200],
    ['If-Match with a list', () => ({ 'if-match': `${other}, ${etag}` }), 200],
    ['If-Match *', () => ({ 'if-match': '*' }), 200],
    ['If-Match with another', () => ({ 'if-match': other }), 412],
    ['If-None-Match with the ETag', () => ({ 'if-none-match': etag }), 304],
    ['If-None-Match with it, weak', () => ({ 'if-none-match': `W/${etag}` }), 304],
    ['If-None-Match *', () => ({ 'if-none-match': '*' }), 304],
    ['If-None-Match with another', () => ({ 'if-none-match': other }), 200],
    ['If-Modified-Since its time', () => ({ 'if-modified-since': same() }), 304],
    ['If-Modified-Since earlier', () => ({ 'if-modified-since': earlier() }), 200],
    ['If-Modified-Since no date', () => ({ 'if-modified-since': 'yesterday-ish' }), 200],
    ['If-Unmodified-Since its time', () => ({ 'if-unmodified-since': same() }), 200],
    ['If-Unmodified-Since earlier', () => ({ 'if-unmodified-since': earlier() }), 412],
    ['If-Match holds, If-Unmodified-Since not', () => ({ 'if-match': etag, 'if-unmodified-since': earlier() }), 200],
    ['a known If-None-Match', () => ({ 'if-none-match': etag, 'if-modified-since': earlier() }), 304],
    ['an unknown If-None-Match', () => ({ 'if-none-match': other, 'if-modified-since': same() }), 200],
    ['If-Match not, If-None-Match not', () => ({ 'if-match': other, 'if-none-match': etag }), 412],
    ['a range beside a failed condition', () => ({ 'if-none-match': etag, range: 'bytes=99-' }), 304],
  ];
  test.each(cases)('%s', async (_, headers, status) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await opened.send({ method, path, headers: headers() });
      expect([method, answer.status]).toEqual([method, status]);
      if (status === 304) expect([answer.headers.etag, answer.body]).toEqual([etag, '']);
      if (status === 412 && method === 'GET') expect(answer.code).toBe('PreconditionFailed');
    }
  });
});

describe('overrides of response headers', () => {
  test.each([
    ['content-type', 'text/csv'],
    ['content-language', 'de'],
    ['expires', 'Tue, 01 Jan 2030 00:00:00 GMT'],
    ['cache-control', 'no-cache'],
    ['content-disposition', 'attachment; filename="Übersicht.csv"'],
    ['content-encoding', 'identity'],
  ])('response-%s', async (name, value) => {
    const answer = await opened.send({ path, query: `response-${name}=${encodeURIComponent(value)}` });
    expect(answer.status).toBe(200);
    expect(Buffer.from(String(answer.headers[name]), 'latin1').toString('utf8')).toBe(value);
  });

  test('with a line break, which would add a header, are refused', async () => {
    const answer = await opened.send({ path, query: 'response-content-type=a%0D%0Aset-cookie:%20b' });
    expect([answer.status, answer.code, answer.headers['set-cookie']]).toEqual([400, 'InvalidArgument', undefined]);
  });
});

describe('a part number of an object that was uploaded whole', () => {
  test.each([
    ['partNumber=1', {}, 206, undefined],
    ['partNumber=2', {}, 416, 'InvalidPartNumber'],
    ['partNumber=0', {}, 400, 'InvalidArgument'],
    ['partNumber=x', {}, 400, 'InvalidArgument'],
    ['partNumber=1', { range: 'bytes=0-1' }, 400, 'InvalidRequest'],
  ])('%s with %j is %i', async (query, headers, status, code) => {
    const answer = await opened.send({ path, query, headers });
    expect([answer.status, answer.code]).toEqual([status, code]);
  });
});
