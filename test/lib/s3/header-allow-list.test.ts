import { describe, expect, test } from 'vitest';
import type { EdgeRequest } from '../../../lib/domain/data/decision.ts';
import { anonymous, decide, forwarded, outcome, sessionOptions, signed } from './data-fixture.ts';

/**
 * The treatment of each client header in three requests: a signed streamed upload, a signed write that our code sends
 * itself, and an anonymous read.
 */
type Fate = 'passed' | 'dropped' | 'refused' | 'another owner';

type Row = [name: string, value: string, streamed: Fate, relayed: Fate, anonymous: Fate];

const words = (text: string) => text.trim().split(/\s+/);
const rowsOf = (
  names: string | string[],
  streamed: Fate,
  relayed: Fate = streamed,
  anonymous: Fate = streamed,
): Row[] =>
  [names].flat().flatMap((text) => words(text).map((name): Row => [name, 'value', streamed, relayed, anonymous]));
const withStart = (start: string, ends: string) => words(ends).map((end) => start + end);

/** Checksums of an empty body, because these requests have no body. Storage would refuse wrong checksums. */
const checksumsOfNothing = {
  crc32: 'AAAAAA==',
  crc32c: 'AAAAAA==',
  crc64nvme: 'AAAAAAAAAAA=',
  sha1: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
  sha256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
};
const encryption = 'x-amz-server-side-encryption';

/** Headers that SDKs send by default. With `x-amz-te`, storage would add a digest to the bytes of an object. */
const harmless = `x-amz-api-version x-amz-optional-object-attributes x-amz-request-payer x-amz-sdk-invocation-id
  x-amz-sdk-request x-amz-sdk-retry x-amz-te x-amz-trace-id x-amz-user-agent`;

const rows: Row[] = [
  ...rowsOf('cache-control content-disposition content-encoding content-language content-type expires', 'passed'),
  ...rowsOf('if-match if-none-match', 'passed'),
  // Headers about a body or a read that the proxy does not forward.
  ['content-md5', '1B2M2Y8AsgTpgAmY7PhCfg==', 'passed', 'dropped', 'passed'],
  ...rowsOf('if-modified-since if-unmodified-since if-range range accept-encoding', 'passed', 'dropped', 'passed'),
  ...rowsOf('x-amz-meta-station x-amz-meta-x-amz-acl x-amz-sdk-checksum-algorithm x-amz-trailer', 'passed'),
  ...rowsOf('x-amz-decoded-content-length x-amz-mp-object-size x-amz-storage-class x-amz-tagging', 'passed'),
  ...rowsOf('x-amz-max-parts x-amz-object-attributes x-amz-part-number-marker', 'passed'),
  ...rowsOf('x-amz-tagging-directive x-amz-metadata-directive x-amz-copy-source-range', 'passed'),
  ...rowsOf(withStart('x-amz-checksum-', 'algorithm type mode'), 'passed'),
  ...rowsOf(withStart('x-amz-copy-source-if-', 'match none-match modified-since unmodified-since'), 'passed'),
  ...Object.entries(checksumsOfNothing).map(
    ([name, value]): Row => [`x-amz-checksum-${name}`, value, 'passed', 'passed', 'passed'],
  ),
  // Storage must not receive an encryption key from an anonymous caller.
  ...rowsOf(encryption, 'passed', 'passed', 'dropped'),
  ...rowsOf(
    [
      ...withStart(`${encryption}-`, 'aws-kms-key-id context bucket-key-enabled'),
      ...withStart(`${encryption}-customer-`, 'algorithm key key-md5'),
      ...withStart('x-amz-copy-source-server-side-encryption-customer-', 'algorithm key key-md5'),
    ],
    ...(['passed', 'passed', 'dropped'] as const),
  ),
  ...words('private bucket-owner-full-control').map((acl): Row => ['x-amz-acl', acl, 'dropped', 'dropped', 'dropped']),
  ...words('public-read public-read-write authenticated-read aws-exec-read bucket-owner-read').map(
    (acl): Row => ['x-amz-acl', acl, 'refused', 'refused', 'dropped'],
  ),
  ...rowsOf(
    [
      ...withStart('x-amz-grant-', 'read write read-acp write-acp full-control'),
      ...withStart('x-amz-object-lock-', 'mode retain-until-date legal-hold'),
      ...withStart('x-amz-if-match-', 'last-modified-time size'),
      'x-amz-bypass-governance-retention x-amz-bucket-object-lock-enabled x-amz-website-redirect-location x-amz-write-offset-bytes x-amz-mfa',
      'x-amz-something-new x-amz- x-amz-checksum x-amz-meta x-amz-copy-source-version-id x-amz-cf-id',
    ],
    ...(['refused', 'refused', 'dropped'] as const),
  ),
  ...['false', 'False', ''].flatMap((value) =>
    words('x-amz-bucket-object-lock-enabled x-amz-bypass-governance-retention x-amz-something-new').map(
      (name): Row => [name, value, 'dropped', 'dropped', 'dropped'],
    ),
  ),
  // The proxy compares the value with an account of this service. Storage would compare it with the owner of its own
  // bucket.
  ['x-amz-expected-bucket-owner', 'tide-institute', 'dropped', 'dropped', 'dropped'],
  ['x-amz-expected-bucket-owner', '111122223333', 'another owner', 'another owner', 'another owner'],
  // Headers that storage ignores, or that only this service may set for storage.
  ...rowsOf([harmless, 'x-amz-source-expected-bucket-owner accept accept-language amz-sdk-invocation-id'], 'dropped'),
  ...rowsOf('amz-sdk-request connection cookie expect forwarded keep-alive origin proxy-authorization', 'dropped'),
  ...rowsOf('referer te upgrade user-agent via x-amzn-trace-id x-forwarded-for x-forwarded-host', 'dropped'),
  ...rowsOf('x-forwarded-proto x-http-method-override x-original-url x-rewrite-url constructor', 'dropped'),
  ...rowsOf(withStart('x-sluice-viewer-', 'accept-encoding range'), 'dropped'),
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

describe('a header of a client', () => {
  test.each(rows)('%s: %s is %s as it streams, %s from our code, %s when anonymous', async (name, value, ...fates) => {
    const [streamed, ofOurs, unsigned] = fates;
    const headers = { [name]: value };
    await expectFate(await upload(headers), name, value, streamed);
    await expectFate(await multipart(headers), name, value, ofOurs);
    await expectFate(anonymous('/tide-institute/tide-gauges/a', { headers }), name, value, unsigned);
  });

  // An unknown header cannot give a read more data, so the proxy ignores it.
  test.each(rows)('%s: %s never causes the refusal of a read', async (name, value, ...fates) => {
    const [streamed, ofOurs] = fates;
    const headers = { [name]: value };
    const [onStream, onRelay] = [streamed, ofOurs].map((fate) => (fate === 'refused' ? 'dropped' : fate));
    await expectFate(await signed({ path: object, headers }), name, value, onStream ?? 'dropped');
    await expectFate(await signed({ method: 'HEAD', path: object, headers }), name, value, onStream ?? 'dropped');
    const parts = await signed({ path: object, query: { uploadId: 'u' }, headers });
    await expectFate(parts, name, value, onRelay ?? 'dropped');
  });

  test.each(rows.filter(([, , fate]) => fate === 'refused'))(
    '%s: %s is refused by every write and delete',
    async (name, value) => {
      const headers = { [name]: value };
      for (const write of await writes(headers)) expect(await outcome(write)).toBe('501 NotImplemented');
    },
  );

  test('causes no refusal of a write or delete if it is harmless', async () => {
    const headers: Record<string, string> = { 'x-amz-bucket-object-lock-enabled': 'false' };
    for (const name of words(harmless)) headers[name] = 'value';
    for (const write of await writes(headers)) expect(await outcome(write)).not.toBe('501 NotImplemented');
  });

  test.each(rows.filter(([name]) => name.startsWith('x-amz-')))(
    '%s: %s is refused when the client did not sign it',
    async (name, value) => {
      const presigned = await signed({ path: object }, { ...sessionOptions(), expiresIn: 60 });
      for (const request of [await upload({}), presigned]) {
        expect(await outcome({ ...request, headers: { ...request.headers, [name]: value } })).toBe('403 AccessDenied');
      }
    },
  );

  test("storage gets no part of the client's authentication", async () => {
    const { headers } = await forwarded(await upload({}));
    expect(headers['authorization']).toContain('Credential=AKSTORAGE/');
    expect(headers['host']).toContain('hidden-bucket');
    expect(headers).not.toHaveProperty('x-amz-security-token');
    expect(JSON.stringify(headers)).not.toContain(sessionOptions().accessKeyId);
  });
});
