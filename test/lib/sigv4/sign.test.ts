import { expect, test } from 'vitest';
import { encodeStrictly } from '../../../lib/sigv4/canonical.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { signingKey, signRequest } from '../../../lib/sigv4/sign.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';

const now = Date.parse('2026-03-01T10:00:00Z');
const options = { now, region: 'eu-west-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' };
const credentials = { access_key_id: 'AKSTORAGE', secret_access_key: 'storage secret', session_token: 'storage token' };
const request = {
  method: 'PUT',
  rawPath: '/a/../b%20c',
  rawQuery: 'partNumber=1&uploadId=x%2B',
  headers: { host: 'bucket.example.org', 'content-type': 'text/csv', range: 'bytes=0-1', 'accept-encoding': 'gzip' },
};

function verify(headers: Readonly<Record<string, string>>) {
  const arrived = { ...request, headers };
  const presented = readSignature(arrived);
  if (presented === undefined) throw new Error('the signature was not seen');
  verifySignature(arrived, presented, credentials, { now, service: 's3' });
  return presented.signed_headers;
}

test('encodes every character except the unreserved ones of RFC 3986', () => {
  expect(encodeStrictly("a-Z_0.~ /!'()*é")).toBe('a-Z_0.~%20%2F%21%27%28%29%2A%C3%A9');
});

test('a signed request verifies, and the signature covers the token and the payload mode', () => {
  const headers = signRequest(request, credentials, options);
  expect(verify(headers)).toEqual([
    'content-type',
    'host',
    'x-amz-content-sha256',
    'x-amz-date',
    'x-amz-security-token',
  ]);
  expect(headers).toMatchObject({ ...request.headers, 'x-amz-date': '20260301T100000Z' });
});

test('sends but does not sign headers that a content delivery network changes', () => {
  const headers = signRequest(request, credentials, options);
  expect(() => verify({ ...headers, range: 'bytes=5-', 'accept-encoding': 'identity', via: '1.1 edge' })).not.toThrow();
});

test('a header that CloudFront adds is signed and not sent', () => {
  const headers = signRequest(request, credentials, { ...options, unsentHeaders: { 'x-amz-cf-id': 'request-1' } });
  expect(headers).not.toHaveProperty('x-amz-cf-id');
  expect(verify({ ...headers, 'x-amz-cf-id': 'request-1' })).toContain('x-amz-cf-id');
  expect(() => verify({ ...headers, 'x-amz-cf-id': 'request-2' })).toThrow(/does not match/);
  expect(() => verify(headers)).toThrow(/does not match/);
});

test('a signature without a token covers no token and no content-length', () => {
  const { session_token: _, ...key } = credentials;
  const sent = { ...request, headers: { host: 'a.example', 'content-length': '3', 'content-md5': 'a' } };
  const headers = signRequest(sent, key, options);
  expect(Object.keys(headers)).not.toContain('x-amz-security-token');
  const covered = 'SignedHeaders=content-md5;host;x-amz-content-sha256;x-amz-date,';
  expect(headers['authorization']).toContain(covered);
});

test('a signing key is correct for each of many regions, also from the cache', () => {
  const regions = Array.from({ length: 20 }, (_, index) => `region-${index}`);
  const [holder, again, another] = ['a', 'a', 'b'].map((secret_access_key) => ({ secret_access_key }));
  if (holder === undefined || again === undefined || another === undefined) throw new Error('three holders');
  for (const region of [...regions, ...regions]) {
    const scope = { date: '20261121', region, service: 's3' };
    const key = (of: typeof holder) => signingKey(of, scope).export().toString('hex');
    expect(key(holder)).toBe(key(again));
    expect(key(holder)).not.toBe(key(another));
  }
});

test('the cache has the keys of at most eight scopes', () => {
  const holder = { secret_access_key: 'a' };
  const keyOf = (region: number) => signingKey(holder, { date: '20261121', region: `${region}`, service: 's3' });
  const keys = [0, 1, 2, 3, 4, 5, 6, 7].map(keyOf);
  // Compare the key objects themselves, because a key that is derived again has the same bytes.
  expect(keys.every((key, region) => key === keyOf(region))).toBe(true);
  const ninth = keyOf(8);
  expect(keyOf(8) === ninth).toBe(true);
  expect(keys[0] === keyOf(0)).toBe(false);
});
