import { describe, expect, test } from 'vitest';
import type { ReceivedAnswer } from '../lib/local/http-client.ts';
import { signIn } from '../service/data-clients.ts';
import { absentError, deniedError, expectS3Error, unsignedError } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';

const service = await seededService();
const credentials = await signIn(service, service.key);

/** The error of a storage with an endpoint, like the one of this machine. */
const dotSegmentError = {
  status: 400,
  code: 'InvalidRequest',
  message: 'The storage of this repository takes no keys with the segments . or ..; use another key.',
};

describe('dot segments and slashes in a path', () => {
  test.each([
    '/tide-institute/tide-gauges/../raw-drafts/secret',
    '/tide-institute/tide-gauges/%2E%2E/raw-drafts/secret',
    '/tide-institute/tide-gauges/./../raw-drafts/secret',
    '/tide-institute/tide-gauges/..%2Fraw-drafts%2Fsecret',
    '/tide-institute/tide-gauges//raw-drafts/secret',
    '/tide-institute/tide-gauges/../../tide-institute/raw-drafts/secret',
  ])('lead nowhere else: %s', async (path) => {
    await sendSigned(service, credentials, {
      method: 'PUT',
      path: '/tide-institute/raw-drafts/secret',
      body: 'secret',
    });
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
  ])('name no account and no repository: %s', async (path) => {
    expectS3Error(await sendAnonymous(service, 'GET', path), unsignedError, path);
    expectS3Error(await sendSigned(service, credentials, { path }), deniedError, path);
  });
});

describe('a signed request', () => {
  const path = '/tide-institute/raw-drafts/signed';

  test.each<[string, string]>([
    ['x-amz-meta-station', 'brest'],
    ['x-amz-copy-source', '/tide-institute/tide-gauges/brest.csv'],
    ['x-amz-storage-class', 'GLACIER'],
    ['x-amz-acl', 'private'],
    ['X-Amz-Tagging', 'a=b'],
  ])('with %s added on its way is refused', async (name, value) => {
    const answer = await sendSigned(
      service,
      credentials,
      { method: 'PUT', path, body: 'x' },
      { unsignedHeaders: { [name]: value } },
    );
    expectS3Error(
      answer,
      { status: 403, code: 'AccessDenied', message: 'Every x-amz- header that is sent must be among SignedHeaders.' },
      path,
    );
  });

  test('that is 16 minutes old is refused', async () => {
    expectS3Error(
      await sendSigned(service, credentials, { path }, { signedAt: Date.now() - 16 * 60_000 }),
      {
        status: 403,
        code: 'RequestTimeTooSkewed',
        message: 'The request was signed more than 15 minutes from the current time; set the clock and sign again.',
      },
      path,
    );
  });

  test('that asks for what is not offered is told so', async () => {
    const headers = { 'x-amz-acl': 'public-read' };
    expectS3Error(
      await sendSigned(service, credentials, { method: 'PUT', path, headers, body: 'x' }),
      {
        status: 501,
        code: 'NotImplemented',
        message: 'The header x-amz-acl is not supported; send the request without it.',
      },
      path,
    );
    expectS3Error(
      await sendSigned(service, credentials, { path: '/tide-institute', query: { acl: '' } }),
      {
        status: 501,
        code: 'NotImplemented',
        message: 'This operation is not supported; objects, lists, copies, tags and multipart uploads are.',
      },
      '/tide-institute',
    );
  });

  test('whose small body is not the one that was signed is refused', async () => {
    const path = '/tide-institute';
    const body = '<Delete><Object><Key>raw-drafts/a</Key></Object></Delete>';
    const signedHash = { 'x-amz-content-sha256': 'a'.repeat(64) };
    const request = { method: 'POST', path, query: { delete: '' }, headers: signedHash, body };
    expectS3Error(
      await sendSigned(service, credentials, request),
      {
        status: 400,
        code: 'XAmzContentSHA256Mismatch',
        message: 'The body does not match the SHA-256 in x-amz-content-sha256; send it again.',
      },
      path,
    );
  });

  test.each([
    ['broken', '<Delete><Object>'],
    ['of another kind', '<Remove/>'],
    ['empty', ''],
    ['of no keys', '<Delete></Delete>'],
  ])('with XML that is %s is refused', async (_, body) => {
    const request = { method: 'POST', path: '/tide-institute', query: { delete: '' }, body };
    const answer = await sendSigned(service, credentials, request);
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toMatch(
      /^<\?xml [^>]*\?>\n<Error><Code>MalformedXML<\/Code><Message>[^<]+<\/Message>/,
    );
  });

  test('with more XML than the edge includes is refused', async () => {
    const body = `<Delete>${'<Object><Key>raw-drafts/a</Key></Object>'.repeat(30_000)}</Delete>`;
    const request = { method: 'POST', path: '/tide-institute', query: { delete: '' }, body };
    expectS3Error(
      await sendSigned(service, credentials, request),
      {
        status: 400,
        code: 'EntityTooLarge',
        message: 'The request body must be less than 1 MB; send fewer keys or larger parts.',
      },
      '/tide-institute',
    );
  });
});

describe('what is no request for objects', () => {
  const told = (answer: ReceivedAnswer) =>
    answer.body
      .toString()
      .match(/<Code>(.*?)<\/Code><Message>(.*?)</)
      ?.slice(1);

  test.each(['PATCH', 'OPTIONS'])('the method %s is not taken', async (method) => {
    const path = '/tide-institute/tide-gauges/a';
    expectS3Error(
      await sendAnonymous(service, method, path),
      { status: 405, code: 'MethodNotAllowed', message: 'The method must be GET, HEAD, PUT, POST or DELETE.' },
      path,
    );
  });

  test('a method that CloudFront does not know is refused before any function runs', async () => {
    const answer = await sendAnonymous(service, 'PROPFIND', '/tide-institute/tide-gauges/a');
    expect([answer.status, told(answer)]).toEqual([403, ['MethodNotAllowed', 'This method is not allowed here.']]);
  });

  test('the list of accounts without credentials', async () => {
    expectS3Error(
      await sendAnonymous(service, 'GET', '/'),
      {
        status: 403,
        code: 'AccessDenied',
        message: 'Sign the request to list your accounts; without credentials, name an account as the bucket.',
      },
      '/',
    );
  });

  test('another host is misdirected', async () => {
    for (const host of ['data.example.org', 'localhost.example.org', '10.0.0.1']) {
      const answer = await sendAnonymous(service, 'GET', '/tide-institute/tide-gauges/a', { host });
      expect([answer.status, told(answer)]).toEqual([
        421,
        [
          'MisdirectedRequest',
          'This server answers on this machine only: use 127.0.0.1 or localhost as the host of the URL.',
        ],
      ]);
    }
  });
});
