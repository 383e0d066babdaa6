import { describe, expect, test } from 'vitest';
import { anonymous, forwarded, outcome, relayed, sessionOptions, signed } from './data-world.ts';

/**
 * Each header that a client may send with what becomes of it: in a signed request that streams, in a signed one that
 * our code sends in its place, and in an anonymous one.
 */
type Fate = 'passed' | 'dropped' | 'refused';

const describing = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'expires'];
const conditions = ['if-match', 'if-none-match'];
const checksums = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256', 'algorithm', 'type', 'mode'];
const customerKey = ['algorithm', 'key', 'key-md5'];
const acls = ['public-read', 'public-read-write', 'authenticated-read', 'aws-exec-read', 'bucket-owner-read'];

const rows: [name: string, value: string, streamed: Fate, relayed: Fate, anonymous: Fate][] = [
  ...[...describing, 'content-type', ...conditions].map(
    (name) => [name, 'value', 'passed', 'passed', 'passed'] satisfies [string, string, Fate, Fate, Fate],
  ),
  // Of a body or a read that our code does not pass on.
  ...['content-md5', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range', 'accept-encoding'].map(
    (name) => [name, 'value', 'passed', 'dropped', 'passed'] satisfies [string, string, Fate, Fate, Fate],
  ),
  ...[
    'x-amz-meta-station',
    'x-amz-meta-x-amz-acl',
    ...checksums.map((name) => `x-amz-checksum-${name}`),
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
    'x-amz-server-side-encryption',
    'x-amz-server-side-encryption-aws-kms-key-id',
    'x-amz-server-side-encryption-context',
    'x-amz-server-side-encryption-bucket-key-enabled',
    ...customerKey.map((name) => `x-amz-server-side-encryption-customer-${name}`),
    ...customerKey.map((name) => `x-amz-copy-source-server-side-encryption-customer-${name}`),
  ].map((name) => [name, 'value', 'passed', 'passed', 'passed'] satisfies [string, string, Fate, Fate, Fate]),
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
    'x-amz-expected-bucket-owner',
    'x-amz-source-expected-bucket-owner',
    'x-amz-if-match-last-modified-time',
    'x-amz-if-match-size',
    'x-amz-something-new',
    'x-amz-',
    'x-amz-checksum',
    'x-amz-meta',
    'x-amz-copy-source-version-id',
    'x-amz-cf-id',
  ].map((name) => [name, 'value', 'refused', 'refused', 'dropped'] satisfies [string, string, Fate, Fate, Fate]),
  // Of no meaning to storage, or of one that only this service may give them there.
  ...[
    'x-amz-request-payer',
    'x-amz-user-agent',
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

function expectFate(sent: Readonly<Record<string, string>>, name: string, value: string, fate: Fate): void {
  expect(Object.hasOwn(sent, name) ? sent[name] : undefined).toBe(fate === 'passed' ? value : undefined);
}

describe('a header of a client, when its request is signed anew', () => {
  test.each(rows)('%s: %s is %s as it streams, %s from our code, %s when anonymous', async (name, value, ...fates) => {
    const [streamed, ofOurs, unsigned] = fates;
    const headers = Object.fromEntries([[name, value]]);
    const [put, post] = await Promise.all([upload(headers), multipart(headers)]);
    if (streamed === 'refused') expect(await outcome(put)).toBe('501 NotImplemented');
    else expectFate((await forwarded(put)).headers, name, value, streamed);
    if (ofOurs === 'refused') expect(await outcome(post)).toBe('501 NotImplemented');
    else expectFate((await relayed(post)).request.headers, name, value, ofOurs);
    const read = await forwarded(anonymous('/tide-institute/tide-gauges/a', { headers }));
    expectFate(read.headers, name, value, unsigned);
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
