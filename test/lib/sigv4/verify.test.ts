import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { hashCanonicalRequest, type SignableRequest } from '../../../lib/sigv4/canonical.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { computeSignature } from '../../../lib/sigv4/sign.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';
import { signingTime, signWithSmithy, type UnsignedRequest } from './signed-request.ts';

const secret = { secret_access_key: 'example secret' };

function outcome(request: SignableRequest, { now = signingTime, service = 's3' } = {}) {
  try {
    const presented = readSignature(request);
    if (presented === undefined) return 'anonymous';
    verifySignature(request, presented, secret, { now, service });
    return 'verified';
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

const upload: UnsignedRequest = {
  method: 'PUT',
  path: '/tide-institute/tide-gauges/2026/level=3/a b+c%2F~é😀.csv',
  query: { partNumber: '3', uploadId: 'a+b/c=' },
  headers: { 'content-type': 'text/csv', 'x-amz-meta-station': '  Cux   haven ' },
  body: 'time,level\n',
};

describe('when one request can be spelled in several ways,', () => {
  test.each([
    ['a key sent with = + : @ unencoded', '/a/level%3D3/b%2Bc%3A%40', '/a/level=3/b+c:@'],
    ['lower-case percent escapes', '/a/%C3%A9%2B', '/a/%c3%a9%2b'],
    ['an escape that was not needed', '/a/~x-y', '/a/%7Ex%2Dy'],
  ])('%s verifies', async (_, encoded, sent) => {
    const signed = await signWithSmithy({ path: decodeURIComponent(encoded) });
    expect(signed.rawPath).toBe(encoded);
    expect(outcome({ ...signed, rawPath: sent })).toBe('verified');
  });

  test('?uploads, ?uploads=, and another parameter order verify as the same request', async () => {
    const signed = await signWithSmithy({ method: 'POST', query: { uploads: '', 'x-id': 'CreateMultipartUpload' } });
    expect(outcome({ ...signed, rawQuery: 'x-id=CreateMultipartUpload&uploads' })).toBe('verified');
  });

  test('a plus in a query is not decoded as a space', async () => {
    const signed = await signWithSmithy({ query: { prefix: 'a+b' } });
    expect(outcome({ ...signed, rawQuery: 'prefix=a+b' })).toBe('verified');
    const space = await signWithSmithy({ query: { prefix: 'a b' } });
    expect(outcome({ ...space, rawQuery: 'prefix=a+b' })).toBe('signature_mismatch');
  });

  test('dot segments and empty ones stay for S3 and are resolved for STS', async () => {
    for (const path of ['/a//b', '/a/./b', '/a/../b', '/a/b/..']) {
      expect(outcome(await signWithSmithy({ path }))).toBe('verified');
    }
    for (const path of ['/.sts', '/.sts/', '/.sts//', '/']) {
      const request = await signWithSmithy({ method: 'POST', path }, { service: 'sts' });
      const presented = readSignature(request);
      if (presented === undefined) throw new Error('the signature was not seen');
      const payloadHash = request.headers['x-amz-content-sha256'] ?? '';
      verifySignature(request, presented, secret, { now: signingTime, service: 'sts', payloadHash });
    }
  });

  test('only a read may omit x-amz-content-sha256, and its payload is treated as empty', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'POST']) {
      const { headers, ...request } = await signWithSmithy({ method, path: '/a/b' });
      const { 'x-amz-content-sha256': payloadHash = '', ...others } = headers;
      const bare = { ...request, headers: others };
      const presented = readSignature(bare);
      if (presented === undefined) throw new Error('the signature was not seen');
      // The Smithy signer signs a header that curl does not sign.
      const signed_headers = presented.signed_headers.filter((name) => name !== 'x-amz-content-sha256');
      const options = { signedHeaders: signed_headers, payloadHash: hash('sha256', '', 'hex'), normalizePath: false };
      const signature = computeSignature(hashCanonicalRequest(bare, options), presented.amz_date, presented, secret);
      const sent = { ...presented, signed_headers, signature: signature.toString('hex') };
      const verify = () => verifySignature(bare, sent, secret, { now: signingTime, service: 's3' });
      expect(payloadHash).not.toBe('');
      if (method === 'GET' || method === 'HEAD') verify();
      else expect(verify).toThrow(expect.objectContaining({ code: 'authorization_malformed' }));
    }
  });

  test('the fields of Authorization may be separated by a bare comma', async () => {
    const signed = await signWithSmithy(upload);
    const authorization = signed.headers['authorization']?.replaceAll(', ', ',') ?? '';
    expect(outcome({ ...signed, headers: { ...signed.headers, authorization } })).toBe('verified');
  });

  test('a header verifies as text and as its Latin-1 bytes', () => {
    const hashOf = (note: string) =>
      hashCanonicalRequest(
        { method: 'GET', rawPath: '/', rawQuery: '', headers: { note } },
        { signedHeaders: ['note'], payloadHash: 'UNSIGNED-PAYLOAD', normalizePath: false },
      );
    expect(hashOf('\u00e2\u0082\u00ac')).toBe(hashOf('€'));
    expect(hashOf('\u00e9')).not.toBe(hashOf('\u00c3\u00a9'));
  });

  test('a header with the name of an inherited property is absent', async () => {
    const signed = await signWithSmithy({});
    const authorization = signed.headers['authorization']?.replace('=host;', '=constructor;host;') ?? '';
    expect(outcome({ ...signed, headers: { ...signed.headers, authorization } })).toBe('signature_mismatch');
  });
});

describe('the headers that a signature must cover', () => {
  test.each([
    ['host is not signed', (text: string) => text.replace('host;', '')],
    ['the scope has another date', (text: string) => text.replace('/20260301/', '/20260228/')],
    ['the scope is for another service', (text: string) => text.replace('/s3/', '/sts/')],
    ['the scope does not end as it must', (text: string) => text.replace('aws4_request', 'aws5_request')],
    ['a field is missing', (text: string) => text.replace(/, Signature=.*/, '')],
    ['a field has no value', (text: string) => `${text},junk`],
    ['a field is there twice', (text: string) => `${text}, Signature=${'0'.repeat(64)}`],
    ['the signature is no hexadecimal', (text: string) => text.replace(/Signature=../, 'Signature=zz')],
    ['it is Signature Version 2', () => 'AWS AKEXAMPLE:c2lnbmF0dXJl'],
    ['it is a bearer token', () => 'Bearer abc'],
    ['it is empty', () => ''],
  ])('cause authorization_malformed when %s', async (_, change) => {
    const signed = await signWithSmithy(upload);
    const authorization = change(signed.headers['authorization'] ?? '');
    expect(outcome({ ...signed, headers: { ...signed.headers, authorization } })).toBe('authorization_malformed');
  });

  test('a header x-amz- that the signature does not cover is refused', async () => {
    const signed = await signWithSmithy(upload);
    const added = (name: string) => outcome({ ...signed, headers: { ...signed.headers, [name]: 'a' } });
    expect(['x-amz-acl', 'x-amz-', 'x-ams-acl', 'other-x-amz-'].map(added)).toEqual([
      'access_denied',
      'access_denied',
      'verified',
      'verified',
    ]);
  });

  test.each([
    ['AWSAccessKeyId=AKEXAMPLE&Signature=abc&Expires=1800000000'],
    ['X-Amz-Algorithm=AWS4-ECDSA-P256-SHA256&X-Amz-Signature=abc'],
  ])('a URL with an older signature is refused, and the message names Signature Version 4: %s', (rawQuery) => {
    const request = { method: 'GET', rawPath: '/a', rawQuery, headers: { host: 'data.example.org' } };
    expect(() => readSignature(request)).toThrow(/Signature Version 4.* the AWS CLI by .*s3v4.*, boto3 by Config/);
  });

  test('two signatures and a repeated parameter are refused', async () => {
    const presigned = await signWithSmithy({}, { expiresIn: 60 });
    const { headers } = await signWithSmithy({});
    expect(outcome({ ...presigned, headers })).toBe('invalid_request');
    const twice = `${presigned.rawQuery}&X-Amz-Expires=600`;
    expect(outcome({ ...presigned, rawQuery: twice })).toBe('authorization_malformed');
  });

  test('a request without a signature is anonymous', () => {
    const request = { method: 'GET', rawPath: '/a', rawQuery: 'list-type=2', headers: { host: 'data.example.org' } };
    expect(outcome(request)).toBe('anonymous');
  });
});

describe('time', () => {
  const minute = 60_000;
  test.each([
    [-15 * minute - 1, 'request_time_skewed'],
    [-15 * minute, 'verified'],
    [15 * minute, 'verified'],
    [15 * minute + 1, 'request_time_skewed'],
  ])('a header signature has the result at %i ms after signing: %s', async (passed, expected) => {
    expect(outcome(await signWithSmithy(upload), { now: signingTime + passed })).toBe(expected);
  });

  test.each([
    [-15 * minute - 1, 'request_expired'],
    [-15 * minute, 'verified'],
    [3600_000, 'verified'],
    [3600_001, 'request_expired'],
  ])('a URL presigned for an hour has the result at %i ms after signing: %s', async (passed, expected) => {
    expect(outcome(await signWithSmithy({}, { expiresIn: 3600 }), { now: signingTime + passed })).toBe(expected);
  });

  test.each(['0', '-1', '604801', '1.5', '', '1e3'])('a validity of %j seconds is refused', async (life) => {
    const signed = await signWithSmithy({}, { expiresIn: 3600 });
    const rawQuery = signed.rawQuery.replace('X-Amz-Expires=3600', `X-Amz-Expires=${life}`);
    expect(outcome({ ...signed, rawQuery })).toBe('authorization_malformed');
  });
});
