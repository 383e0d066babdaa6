import { describe, expect, test } from 'vitest';
import { signIn } from '../service/data-clients.ts';
import { absentError, deniedError, expectS3Error, unsignedError } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';

const service = await seededService();
const credentials = await signIn(service, service.key);
const sign = (...[request, options]: [Parameters<typeof sendSigned>[2], Parameters<typeof sendSigned>[3]?]) =>
  sendSigned(service, credentials, request, options);

/** The error of a storage connection that has an endpoint, like that of the local service. */
const dotSegmentError = {
  status: 400,
  code: 'InvalidRequest',
  message: 'The storage of this repository accepts no keys with the segments . or ..; use another key.',
};

describe('dot segments and slashes in a path', () => {
  test.each([
    '/tide-institute/tide-gauges/../raw-drafts/secret',
    '/tide-institute/tide-gauges/%2E%2E/raw-drafts/secret',
    '/tide-institute/tide-gauges/./../raw-drafts/secret',
    '/tide-institute/tide-gauges/..%2Fraw-drafts%2Fsecret',
    '/tide-institute/tide-gauges//raw-drafts/secret',
    '/tide-institute/tide-gauges/../../tide-institute/raw-drafts/secret',
  ])('reach no other repository: %s', async (path) => {
    await sign({ method: 'PUT', path: '/tide-institute/raw-drafts/secret', body: 'secret' });
    const answer = await sendAnonymous(service, 'GET', path);
    if (/(?:\.|%2E)(?:\/|%2F)/i.test(path)) expectS3Error(answer, dotSegmentError, path);
    else expectS3Error(answer, absentError, undefined);
  });

  test.each([
    '/tide-institute/../tide-institute/raw-drafts/secret',
    '/tide-institute//raw-drafts/secret',
    '/./tide-institute/raw-drafts/secret',
    '//tide-institute/raw-drafts/secret',
    '/../tide-institute/raw-drafts/secret',
  ])('get a refusal before the account or the repository: %s', async (path) => {
    expectS3Error(await sendAnonymous(service, 'GET', path), unsignedError, path);
    expectS3Error(await sign({ path }), deniedError, path);
  });
});

describe('a signed request', () => {
  const path = '/tide-institute/raw-drafts/signed';
  const bulkDelete = { method: 'POST', path: '/tide-institute', query: { delete: '' } };

  test.each<[string, string]>([
    ['x-amz-meta-station', 'brest'],
    ['x-amz-copy-source', '/tide-institute/tide-gauges/brest.csv'],
    ['x-amz-storage-class', 'GLACIER'],
    ['x-amz-acl', 'private'],
    ['X-Amz-Tagging', 'a=b'],
  ])('is refused when %s was added after signing', async (name, value) => {
    const answer = await sign({ method: 'PUT', path, body: 'x' }, { unsignedHeaders: { [name]: value } });
    const message = 'Every x-amz- header that is sent must be among SignedHeaders.';
    expectS3Error(answer, { status: 403, code: 'AccessDenied', message }, path);
  });

  test.each<[string, Parameters<typeof sign>[0], number, string, string]>([
    [
      'for a public ACL',
      { method: 'PUT', path, headers: { 'x-amz-acl': 'public-read' }, body: 'x' },
      501,
      'NotImplemented',
      'The header x-amz-acl is not supported; send the request without it.',
    ],
    [
      'for the ACL of a bucket',
      { path: '/tide-institute', query: { acl: '' } },
      501,
      'NotImplemented',
      'This operation is not supported; objects, lists, copies, tags and multipart uploads are.',
    ],
    [
      'with another small body than the signed one',
      {
        ...bulkDelete,
        headers: { 'x-amz-content-sha256': 'a'.repeat(64) },
        body: '<Delete><Object><Key>raw-drafts/a</Key></Object></Delete>',
      },
      400,
      'XAmzContentSHA256Mismatch',
      'The body does not match the SHA-256 in x-amz-content-sha256; send it again.',
    ],
    [
      'with more XML than the edge includes',
      { ...bulkDelete, body: `<Delete>${'<Object><Key>raw-drafts/a</Key></Object>'.repeat(30_000)}</Delete>` },
      400,
      'EntityTooLarge',
      'The request body must be less than 1 MB; send fewer keys or larger parts.',
    ],
  ])('%s is refused', async (_, request, status, code, message) => {
    expectS3Error(await sign(request), { status, code, message }, request.path);
  });

  test.each(['<Delete><Object>', '<Remove/>', '', '<Delete></Delete>'])('with the XML %j is refused', async (body) => {
    const answer = await sign({ ...bulkDelete, body });
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toMatch(
      /^<\?xml [^>]*\?>\n<Error><Code>MalformedXML<\/Code><Message>[^<]+<\/Message>/,
    );
  });
});

describe('a header', () => {
  const path = '/tide-institute/raw-drafts/headers';
  const body = 'tide';
  const sendWith = (method: string, headers: Record<string, string>, query: Record<string, string> = {}) =>
    sign({ method, path, query, headers, ...(method === 'PUT' ? { body } : {}) });

  test.each([
    ['the AWS SDK for Java', { 'x-amz-te': 'append-md5' }],
    ['the AWS SDK for C++', { 'x-amz-api-version': '2006-03-01' }],
    ['a retry', { 'x-amz-sdk-retry': '1/100/', 'x-amz-sdk-request': 'attempt=2', 'x-amz-sdk-invocation-id': 'a' }],
    ['a traced program', { 'x-amz-trace-id': 'Root=1-2', 'x-amzn-trace-id': 'Root=1-2', 'x-amz-user-agent': 'b' }],
    ['a list with restore states', { 'x-amz-optional-object-attributes': 'RestoreStatus' }],
  ])('of %s is accepted and has no effect', async (_, headers) => {
    expect((await sendWith('PUT', headers)).status).toBe(200);
    const get = await sendWith('GET', headers);
    expect([get.status, get.body.toString()]).toEqual([200, body]);
    expect(get.headers).not.toHaveProperty('x-amz-transfer-encoding');
    expect((await sendWith('HEAD', headers)).status).toBe(200);
    expect((await sendWith('DELETE', headers)).status).toBe(204);
  });

  const unknown = { 'x-amz-something-new': 'value' };
  test('that is unknown is dropped from reads', async () => {
    expect((await sendWith('PUT', {})).status).toBe(200);
    expect((await sendWith('GET', unknown)).body.toString()).toBe(body);
    expect((await sendWith('HEAD', unknown)).status).toBe(200);
    expect((await sendWith('GET', unknown, { tagging: '' })).status).toBe(200);
  });

  test.each([
    ['PUT', {}],
    ['PUT', { tagging: '' }],
    ['POST', { uploads: '' }],
    ['DELETE', {}],
  ])('that is unknown is refused with a write: %s %j', async (method, query) => {
    const message = 'The header x-amz-something-new is not supported; send the request without it.';
    expectS3Error(await sendWith(method, unknown, query), { status: 501, code: 'NotImplemented', message }, path);
  });

  test.each(['GET', 'PUT', 'DELETE'])('with an expected owner is compared with the account: %s', async (method) => {
    const ours = await sendWith(method, { 'x-amz-expected-bucket-owner': 'tide-institute' });
    expect(ours.status).toBeLessThan(300);
    const message =
      'The header x-amz-expected-bucket-owner names another owner; a bucket belongs to the account of the same name. Send that name, or leave the header out.';
    for (const owner of ['111122223333', '', 'Tide-Institute', 'tide-institute,tide-institute']) {
      const answer = await sendWith(method, { 'x-amz-expected-bucket-owner': owner });
      expectS3Error(answer, { status: 403, code: 'AccessDenied', message }, path);
    }
  });

  test('with an expected owner of a copy source is compared with the account of the source', async () => {
    await sign({ method: 'PUT', path: `${path}-source`, body });
    const source = { 'x-amz-copy-source': `${path}-source` };
    for (const [owner, status] of [
      ['111122223333', 403],
      ['tide-institute', 200],
    ] as const)
      expect((await sendWith('PUT', { ...source, 'x-amz-source-expected-bucket-owner': owner })).status).toBe(status);
  });
});

describe('a request that is not an S3 operation', () => {
  const path = '/tide-institute/tide-gauges/a';

  test.each([
    ['PATCH', path, 405, 'MethodNotAllowed', 'The method must be GET, HEAD, PUT, POST or DELETE.'],
    ['OPTIONS', path, 405, 'MethodNotAllowed', 'The method must be GET, HEAD, PUT, POST or DELETE.'],
    [
      'GET',
      '/',
      403,
      'AccessDenied',
      'Sign the request to list your accounts; without credentials, name an account as the bucket.',
    ],
  ])('is refused: %s %s', async (method, target, status, code, message) => {
    expectS3Error(await sendAnonymous(service, method, target), { status, code, message }, target);
  });
});
