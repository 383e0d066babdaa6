import { describe, expect, test } from 'vitest';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { decideObjectRequest, isMarkedOpen } from '../../../lib/s3/decide.ts';
import type { SignerOptions } from '../sigv4/signed-request.ts';
import {
  anonymous,
  apiKeyOptions,
  dataFixture,
  decide,
  now,
  outcome,
  relayed,
  sessionOptions,
  signed,
} from './data-fixture.ts';

describe('expired or revoked credentials are refused, even for public data', () => {
  const path = '/tide-institute/tide-gauges/a.csv';
  const session = sessionOptions();
  test.each<[string, SignerOptions, string]>([
    ['an access key id of nobody', { ...session, accessKeyId: 'AKIAIOSFODNN7EXAMPLE' }, '403 InvalidAccessKeyId'],
    [
      'an API key that is not known',
      { ...apiKeyOptions(), accessKeyId: 'SCAKPPPPPPPPPPPPPPPP' },
      '403 InvalidAccessKeyId',
    ],
    ['a session without its token', { ...session, sessionToken: '' }, '400 InvalidToken'],
    [
      'a session token with one character changed',
      { ...session, sessionToken: `A${session.sessionToken}` },
      '400 InvalidToken',
    ],
    ["another session's access key id", { ...session, accessKeyId: 'SCTAAAAAAAAAAAAAAAAA' }, '400 InvalidToken'],
    ['an API key with a session token', { ...apiKeyOptions(), sessionToken: 'x' }, '400 InvalidToken'],
    ['a wrong secret', { ...session, secretAccessKey: 'guess' }, '403 SignatureDoesNotMatch'],
    ['a wrong secret of an API key', { ...apiKeyOptions(), secretAccessKey: 'guess' }, '403 SignatureDoesNotMatch'],
    ['a session past its life', sessionOptions({ expires_at: now / 1000 }), '403 ExpiredToken'],
    ['a signature 16 minutes old', { ...session, signedAt: now - 16 * 60_000 }, '403 RequestTimeTooSkewed'],
    ['a URL past its life', { ...session, signedAt: now - 61_000, expiresIn: 60 }, '403 AccessDenied'],
    [
      'a URL within its life, presigned with a session past its own',
      { ...sessionOptions({ expires_at: now / 1000 - 1 }), expiresIn: 604_800 },
      '403 ExpiredToken',
    ],
    ['a signature for another service', { ...session, service: 'sts' }, '400 AuthorizationHeaderMalformed'],
  ])('%s', async (_, options, expected) => {
    const fixture = dataFixture();
    expect(await outcome(await signed({ path }, options), fixture)).toBe(expected);
    expect(fixture.reads).toBe(0);
  });

  test('a revoked API key, and an API key from its expiry on', async () => {
    for (const changes of [{ disabled: true }, { expires: toTimestamp(now) }]) {
      const fixture = dataFixture();
      fixture.apiKey = { ...fixture.apiKey, ...changes };
      expect(await outcome(await signed({ path }, apiKeyOptions()), fixture)).toBe('403 InvalidAccessKeyId');
    }
  });
});

describe('the maximum age of authorization data', () => {
  test.each([
    ['GET', {}, [300]],
    ['PUT', {}, [60]],
    ['DELETE', {}, [60]],
    ['PUT', { 'x-amz-copy-source': '/tide-institute/raw-drafts/a' }, [60, 60]],
  ])('%s %j requires authorization data of at most %j seconds', async (method, headers, ages) => {
    const fixture = dataFixture();
    await decide(await signed({ method, path: '/tide-institute/raw-drafts/b', headers }), fixture);
    expect(fixture.agesAsked).toEqual(ages);
    const keyed = dataFixture();
    await decide(await signed({ method, path: '/tide-institute/raw-drafts/b', headers }, apiKeyOptions()), keyed);
    expect(keyed.agesAsked).toEqual([ages[0], ...ages]);
  });
});

describe('a secret in the URL', () => {
  const key = `sck_${'Ab0'.repeat(12)}`;
  test.each([
    ['in the path', `/tide-institute/tide-gauges/${key}`, ''],
    ['in the query', '/tide-institute/tide-gauges/a', `token=${key}`],
    ['percent-encoded', `/tide-institute/tide-gauges/%73ck_${'Ab0'.repeat(12)}`, ''],
    ['in a request that means nothing', '/', `x=${key}`],
  ])('%s is refused before anything else and not repeated', async (_, rawPath, rawQuery) => {
    const decision = await decide(anonymous(rawPath, { rawQuery, headers: { authorization: 'nonsense' } }));
    if (decision.kind !== 'respond') throw new Error('not refused');
    expect(decision.answer.status).toBe(400);
    expect(decision.answer.body).toContain('API key must be sent in the request body, not the URL');
    expect(decision.answer.body).not.toContain('Ab0Ab0');
  });
});

describe('a bucket', () => {
  test.each([
    ['HEAD', '', '', ''],
    ['GET', 'location', '<LocationConstraint ', '</LocationConstraint>'],
    ['GET', 'versioning', '<VersioningConfiguration ', '</VersioningConfiguration>'],
  ])('of every valid name exists: %s ?%s', async (method, rawQuery, start, end) => {
    const decision = await decide(anonymous('/no-such-account', { method, rawQuery }));
    if (decision.kind !== 'respond') throw new Error('not answered');
    const { status, body } = decision.answer;
    expect(status).toBe(200);
    expect([body.includes(start), body.endsWith(end), body === '']).toEqual([true, true, method === 'HEAD']);
  });

  test.each([
    ['GET', '/tide-institute/tide-gauges/a', 'x-amz-expected-bucket-owner', 'tide-institute', 'forward'],
    ['GET', '/tide-institute/tide-gauges/a', 'x-amz-expected-bucket-owner', 'another', '403 AccessDenied'],
    ['GET', '/', 'x-amz-expected-bucket-owner', 'another', '200'],
    ['PUT', '/tide-institute/raw-drafts/a', 'x-amz-source-expected-bucket-owner', 'tide-institute', 'relay'],
    ['PUT', '/tide-institute/raw-drafts/a', 'x-amz-source-expected-bucket-owner', 'another', '403 AccessDenied'],
  ])('%s %s with %s: %s gives %s', async (method, path, header, owner, expected) => {
    const copySource = method === 'PUT' ? { 'x-amz-copy-source': '/tide-institute/raw-drafts/b' } : {};
    expect(await outcome(await signed({ method, path, headers: { [header]: owner, ...copySource } }))).toBe(expected);
  });
});

test.each([
  ['GET', 'tide-gauges@v1', '404 NoSuchKey'],
  ['PUT', 'raw-drafts@v1', '405 MethodNotAllowed'],
  ['DELETE', 'raw-drafts@v1', '405 MethodNotAllowed'],
])('%s of an object of the version %s gives %s, because a version is read-only', async (method, name, expected) => {
  expect(await outcome(await signed({ method, path: `/tide-institute/${name}/a` }))).toBe(expected);
});

test('a path that is not UTF-8 is refused', async () => {
  const decision = await decideObjectRequest(anonymous('/%ff'), undefined, dataFixture().deps);
  expect(decision).toMatchObject({ kind: 'respond', answer: { status: 400 } });
  expect(decision).toMatchObject({ answer: { body: expect.stringContaining('must be UTF-8') } });
});

test('a preflight of a browser is answered without credentials', async () => {
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'PUT' };
  const decision = await decide(anonymous('/tide-institute/tide-gauges/a', { method: 'OPTIONS', headers }));
  expect(decision).toMatchObject({ kind: 'respond', answer: { headers: { 'access-control-allow-methods': /PUT/ } } });
});

test.each([
  ['a marked read', {}, true],
  ['a read with another mark', { headers: { 'x-sluice-cache': 'own-id' } }, false],
  ['a read without a mark', { headers: {} }, false],
  ['a marked write', { method: 'PUT' }, false],
  ['a marked read with a query', { rawQuery: 'a=b' }, false],
  ['a marked list', { rawPath: '/tides' }, false],
])('%s is shared between callers: %j, %s', (_, changes, isShared) => {
  const read = { method: 'GET', rawPath: '/tides/gauges/a', rawQuery: '', headers: { 'x-sluice-cache': 'open' } };
  expect(isMarkedOpen({ ...read, ...changes }, undefined)).toBe(isShared);
});

test.each([
  [undefined, 'https'],
  ['http', 'http'],
] as const)('a completed upload has a location with the protocol of the proxy: %s', async (protocol, expected) => {
  const fixture = dataFixture();
  if (protocol !== undefined) fixture.deps.protocol = protocol;
  const path = '/tide-institute/raw-drafts/a';
  const body = '<CompleteMultipartUpload><Part><ETag>"a"</ETag></Part></CompleteMultipartUpload>';
  const request = await signed({ method: 'POST', path, query: { uploadId: 'u' }, body });
  const { rewrite } = await relayed(request, fixture);
  const answer = rewrite({ status: 200, headers: {}, body: '<CompleteMultipartUploadResult/>' });
  expect(answer.body).toContain(`<Location>${expected}://data.example.org${path}</Location>`);
});

test('a failure of the service is thrown, so that the adapter logs it', async () => {
  const fixture = dataFixture();
  fixture.deps.access.readAccess = async () => {
    throw new Error('the table is gone');
  };
  await expect(decide(anonymous('/tide-institute/tide-gauges/a'), fixture)).rejects.toThrow('the table is gone');
});
