import { describe, expect, test } from 'vitest';
import type { EdgeRequest } from '../../../lib/domain/data/decision.ts';
import { anonymous, decide, forwarded, outcome, sessionOptions, signed } from './data-fixture.ts';

/**
 * The treatment of each client header in three requests: a signed streamed upload, a signed write that our code sends
 * itself, and an anonymous read.
 */
type Fate = 'passed' | 'dropped' | 'refused' | 'another owner';

const describing = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'expires'];
const conditions = ['if-match', 'if-none-match'];
const checksumSettings = ['algorithm', 'type', 'mode'];
/** Checksums of an empty body, which these requests have. Wrong checksums are refused. */
const checksumsOfNothing = {
  crc32: 'AAAAAA==',
  crc32c: 'AAAAAA==',
  crc64nvme: 'AAAAAAAAAAA=',
  sha1: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
  sha256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
};
const customerKey = ['algorithm', 'key', 'key-md5'];
const acls = ['public-read', 'public-read-write', 'authenticated-read', 'aws-exec-read', 'bucket-owner-read'];

/** Headers that SDKs send by default. With `x-amz-te`, storage would add a digest to the bytes of an object. */
const harmless = [
  'x-amz-api-version',
  'x-amz-optional-object-attributes',
  'x-amz-request-payer',
  'x-amz-sdk-invocation-id',
  'x-amz-sdk-request',
  'x-amz-sdk-retry',
  'x-amz-te',
  'x-amz-trace-id',
  'x-amz-user-agent',
];

const rows: [name: string, value: string, streamed: Fate, relayed: Fate, anonymous: Fate][] = [
  ...[...describing, 'content-type', ...conditions].map(
    (name) => [name, 'value', 'passed', 'passed', 'passed'] satisfies [string, string, Fate, Fate, Fate],
  ),
  // Headers about a body or a read that our code does not forward.
  ['content-md5', '1B2M2Y8AsgTpgAmY7PhCfg==', 'passed', 'dropped', 'passed'],
  ...['if-modified-since', 'if-unmodified-since', 'if-range', 'range', 'accept-encoding'].map(
    (name) => [name, 'value', 'passed', 'dropped', 'passed'] satisfies [string, string, Fate, Fate, Fate],
  ),
  ...[
    'x-amz-meta-station',
    'x-amz-meta-x-amz-acl',
    ...checksumSettings.map((name) => `x-amz-checksum-${name}`),
    'x-amz-sdk-checksum-algorithm',
    'x-amz-trailer',
    'x-amz-decoded-content-length',
    'x-amz-mp-object-size',
    'x-amz-storage-class',
    'x-amz-tagging',
    'x-amz-tagging-directive',
    'x-amz-metadata-directive',
    'x-amz-copy-source-range',
    ...['match', 'none-match', 'modified-since', 'unmodified-since'].map((name) => `x-amz-copy-source-if-${name}`),
  ].map((name) => [name, 'value', 'passed', 'passed', 'passed'] satisfies [string, string, Fate, Fate, Fate]),
  ...Object.entries(checksumsOfNothing).map(
    ([name, value]) =>
      [`x-amz-checksum-${name}`, value, 'passed', 'passed', 'passed'] satisfies [string, string, Fate, Fate, Fate],
  ),
  // Storage must not receive an encryption key from an anonymous caller.
  ...[
    'x-amz-server-side-encryption',
    'x-amz-server-side-encryption-aws-kms-key-id',
    'x-amz-server-side-encryption-context',
    'x-amz-server-side-encryption-bucket-key-enabled',
    ...customerKey.map((name) => `x-amz-server-side-encryption-customer-${name}`),
    ...customerKey.map((name) => `x-amz-copy-source-server-side-encryption-customer-${name}`),
  ].map((name) => [name, 'value', 'passed', 'passed', 'dropped'] satisfies [string, string, Fate, Fate, Fate]),
  ...['private', 'bucket-owner-full-control'].map(
    (acl) => ['x-amz-acl', acl, 'dropped', 'dropped', 'dropped'] satisfies [string, string, Fate, Fate, Fate],
  ),
  ...acls.map(
    (acl) => ['x-amz-acl', acl, 'refused', 'refused', 'dropped'] satisfies [string, string, Fate, Fate, Fate],
  ),
  ...[
    ...['read', 'write', 'read-acp', 'write-acp', 'full-control'].map((right) => `x-amz-grant-${right}`),
    ...['mode', 'retain-until-date', 'legal-hold'].map((what) => `x-amz-object-lock-${what}`),
    'x-amz-bypass-governance-retention',
    'x-amz-website-redirect-location',
    'x-amz-write-offset-bytes',
    'x-amz-mfa',
    'x-amz-if-match-last-modified-time',
    'x-amz-if-match-size',
    'x-amz-something-new',
    'x-amz-',
    'x-amz-checksum',
    'x-amz-meta',
    'x-amz-copy-source-version-id',
    'x-amz-cf-id',
  ].map((name) => [name, 'value', 'refused', 'refused', 'dropped'] satisfies [string, string, Fate, Fate, Fate]),
  // The proxy compares the value with an account of this service. Storage would compare it with the owner of its own
  // bucket.
  ['x-amz-expected-bucket-owner', 'tide-institute', 'dropped', 'dropped', 'dropped'],
  ['x-amz-expected-bucket-owner', '111122223333', 'another owner', 'another owner', 'another owner'],
  // Headers that storage ignores, or that only this service may set for storage.
  ...[
    ...harmless,
    'x-amz-source-expected-bucket-owner',
    'accept',
    'accept-language',
    'amz-sdk-invocation-id',
    'amz-sdk-request',
    'connection',
    'cookie',
    'expect',
    'forwarded',
    'keep-alive',
    'origin',
    'proxy-authorization',
    'referer',
    'te',
    'upgrade',
    'user-agent',
    'via',
    'x-amzn-trace-id',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-http-method-override',
    'x-original-url',
    'x-rewrite-url',
    'x-sluice-viewer-accept-encoding',
    'x-sluice-viewer-range',
    'constructor',
  ].map((name) => [name, 'value', 'dropped', 'dropped', 'dropped'] satisfies [string, string, Fate, Fate, Fate]),
];

const object = '/tide-institute/raw-drafts/a';
const upload = (headers: Record<string, string>) => signed({ method: 'PUT', path: object, headers });
const multipart = (headers: Record<string, string>) =>
  signed({ method: 'POST', path: object, query: { uploads: '' }, headers });

/** Returns one request for each write operation. */
function writes(headers: Record<string, string>): Promise<EdgeRequest[]> {
  const source = { 'x-amz-copy-source': object };
  const requests: [method: string, path: string, query: Record<string, string>, more?: Record<string, string>][] = [
    ['PUT', object, {}],
    ['PUT', object, {}, source],
    ['PUT', object, { tagging: '' }],
    ['PUT', object, { partNumber: '1', uploadId: 'u' }],
    ['PUT', object, { partNumber: '1', uploadId: 'u' }, source],
    ['POST', object, { uploads: '' }],
    ['POST', object, { uploadId: 'u' }],
    ['DELETE', object, {}],
    ['DELETE', object, { tagging: '' }],
    ['DELETE', object, { uploadId: 'u' }],
    ['POST', '/tide-institute', { delete: '' }],
    ['PUT', '/tide-institute', {}],
  ];
  return Promise.all(
    requests.map(([method, path, query, more]) => signed({ method, path, query, headers: { ...headers, ...more } })),
  );
}

const refusals = { refused: '501 NotImplemented', 'another owner': '403 AccessDenied' } as const;

async function expectFate(request: EdgeRequest, name: string, value: string, fate: Fate): Promise<void> {
  if (fate === 'refused' || fate === 'another owner') {
    // The response to a HEAD has no body for an error code.
    const refusal = refusals[fate].slice(0, request.method === 'HEAD' ? 3 : undefined);
    expect(await outcome(request)).toMatch(refusal);
    return;
  }
  const decision = await decide(request);
  if (decision.kind === 'respond') throw new Error(`answered: ${JSON.stringify(decision.answer)}`);
  const { headers } = decision.request;
  expect(Object.hasOwn(headers, name) ? headers[name] : undefined).toBe(fate === 'passed' ? value : undefined);
}

describe('a header of a client, when its request is signed anew', () => {
  test.each(rows)('%s: %s is %s as it streams, %s from our code, %s when anonymous', async (name, value, ...fates) => {
    const [streamed, ofOurs, unsigned] = fates;
    const headers = { [name]: value };
    await expectFate(await upload(headers), name, value, streamed);
    await expectFate(await multipart(headers), name, value, ofOurs);
    await expectFate(anonymous('/tide-institute/tide-gauges/a', { headers }), name, value, unsigned);
  });

  // An unknown header cannot grant a read more data, so the proxy never refuses a read for it.
  test.each(rows)('%s: %s is never a reason to refuse a read', async (name, value, ...fates) => {
    const [streamed, ofOurs] = fates;
    const headers = { [name]: value };
    const [onStream, onRelay] = [streamed, ofOurs].map((fate) => (fate === 'refused' ? 'dropped' : fate));
    await expectFate(await signed({ path: object, headers }), name, value, onStream ?? 'dropped');
    await expectFate(await signed({ method: 'HEAD', path: object, headers }), name, value, onStream ?? 'dropped');
    const parts = await signed({ path: object, query: { uploadId: 'u' }, headers });
    await expectFate(parts, name, value, onRelay ?? 'dropped');
  });

  test.each(rows.filter(([, , fate]) => fate === 'refused'))(
    '%s: %s is refused by everything that writes or deletes',
    async (name, value) => {
      const headers = { [name]: value };
      for (const write of await writes(headers)) expect(await outcome(write)).toBe('501 NotImplemented');
    },
  );

  test('a harmless header refuses no write and no delete', async () => {
    const headers = Object.fromEntries(harmless.map((name) => [name, 'value']));
    for (const write of await writes(headers)) expect(await outcome(write)).not.toBe('501 NotImplemented');
  });

  test.each(rows.filter(([name]) => name.startsWith('x-amz-')))(
    '%s: %s is refused where it is not signed',
    async (name, value) => {
      for (const request of [
        await upload({}),
        await signed({ path: object }, { ...sessionOptions(), expiresIn: 60 }),
      ]) {
        expect(await outcome({ ...request, headers: { ...request.headers, [name]: value } })).toBe('403 AccessDenied');
      }
    },
  );

  test("of its own authentication, nothing of the client's goes on", async () => {
    const { headers } = await forwarded(await upload({}));
    expect(headers['authorization']).toContain('Credential=AKSTORAGE/');
    expect(headers['host']).toContain('hidden-bucket');
    expect(headers).not.toHaveProperty('x-amz-security-token');
    expect(JSON.stringify(headers)).not.toContain(sessionOptions().accessKeyId);
  });
});
