import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReceivedAnswer, send } from '../lib/local/http-client.ts';
import { type Credentials, s3Client, signIn } from '../service/data-clients.ts';
import { expectS3Error } from '../service/error-answers.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { sendSigned } from '../service/signed-requests.ts';

let service: SeededService;
let credentials: Credentials;
beforeAll(async () => {
  service = await startSeededService();
  credentials = await signIn(service, service.key);
});
afterAll(() => service.close());

function anonymous(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const sent = { method, path, headers, ...(body === undefined ? {} : { body }) };
  return send(Number(new URL(service.dataUrl).port), sent);
}

async function makeRepository(owner: string, organization: string, repository_id: string, data_mode: string) {
  const admin = await service.person('admin');
  const person = await service.person(owner);
  await person('POST', '/accounts', { account_id: owner, account_type: 'user', profile: {} });
  await admin('PUT', `/accounts/${owner}/flags`, ['create_organizations', 'create_repositories']);
  await person('POST', '/accounts', { account_id: organization, account_type: 'organization', profile: {} });
  const meta = { title: 'T', description: 'D', tags: 't' };
  const created = await person('POST', `/repositories/${organization}`, {
    repository_id,
    data_mode,
    meta,
    data_connection_id: 'local-store',
  });
  expect(created.status).toBe(201);
}

const denied = {
  status: 403,
  code: 'AccessDenied',
  message: 'The repository does not exist or these credentials do not allow this; check the path and the grants.',
};

/** From the storage, of which the function that says so sees no path. */
const absent = { status: 404, code: 'NoSuchKey', message: 'The object does not exist.' };

describe('what may not be reached', () => {
  beforeAll(() => makeRepository('grace', 'other-lab', 'their-drafts', 'private'));

  const requests: [string, string, string?][] = [
    ['GET', '/data.csv'],
    ['HEAD', '/data.csv'],
    ['PUT', '/data.csv', 'mine'],
    ['DELETE', '/data.csv'],
    ['POST', '/data.csv?uploads'],
  ];

  test.each(requests)(
    "another account's private repository refuses %s in the words for one that is not there",
    async (method, rest, body) => {
      for (const repository of [
        'other-lab/their-drafts',
        'other-lab/nothing',
        'nobody/nothing',
        'tide-institute/nothing',
      ]) {
        const [path = '', query = ''] = `/${repository}${rest}`.split('?');
        const answer = await sendSigned(service, credentials, {
          method,
          path,
          ...(query === '' ? {} : { query: { [query]: '' } }),
          ...(body === undefined ? {} : { body }),
        });
        if (method === 'HEAD') expect([answer.status, answer.body.length]).toEqual([403, 0]);
        else expectS3Error(answer, denied, path);
      }
    },
  );

  test.each(['their-drafts/', 'nothing/'])('nor is it listed: %s', async (prefix) => {
    const query = { 'list-type': '2', prefix };
    expectS3Error(await sendSigned(service, credentials, { path: '/other-lab', query }), denied, '/other-lab');
  });

  test('nor can it be the source of a copy', async () => {
    const path = '/tide-institute/raw-drafts/stolen';
    const headers = { 'x-amz-copy-source': '/other-lab/their-drafts/data.csv' };
    expectS3Error(await sendSigned(service, credentials, { method: 'PUT', path, headers }), denied, path);
  });

  test('nor are its objects deleted among others', async () => {
    const body = '<Delete><Object><Key>their-drafts/data.csv</Key></Object></Delete>';
    const request = { method: 'POST', path: '/other-lab', query: { delete: '' }, body };
    expectS3Error(await sendSigned(service, credentials, request), denied, '/other-lab');
  });

  test('a private repository is closed to anonymous callers', async () => {
    const path = '/tide-institute/raw-drafts/data.csv';
    expectS3Error(await anonymous('GET', path), denied, path);
    expectS3Error(await anonymous('PUT', path, {}, 'x'), denied, path);
    const list = '/tide-institute?list-type=2&prefix=raw-drafts%2F';
    expectS3Error(await anonymous('GET', list), denied, '/tide-institute');
  });

  test('an open repository is written by nobody without a grant', async () => {
    const path = '/tide-institute/tide-gauges/data.csv';
    expectS3Error(await anonymous('PUT', path, {}, 'x'), denied, path);
    expectS3Error(await anonymous('DELETE', path), denied, path);
  });

  test('credentials of the role ReadOnly read and do not write', async () => {
    const readOnly = await signIn(service, service.key, { role: 'ReadOnly' });
    const path = '/tide-institute/raw-drafts/read-only';
    await sendSigned(service, credentials, { method: 'PUT', path, body: 'here' });
    expect((await sendSigned(service, readOnly, { path })).body.toString()).toBe('here');
    expectS3Error(await sendSigned(service, readOnly, { method: 'PUT', path, body: 'x' }), denied, path);
    expectS3Error(await sendSigned(service, readOnly, { method: 'DELETE', path }), denied, path);
  });
});

describe('an open repository', () => {
  test('is read by anyone: whole, in part, described and listed', async () => {
    const Key = 'tide-gauges/brest.csv';
    await s3Client(service, credentials).send(
      new PutObjectCommand({ Bucket: 'tide-institute', Key, Body: '0123456789', ContentType: 'text/csv' }),
    );
    const path = `/tide-institute/${Key}`;
    const whole = await anonymous('GET', path);
    expect([whole.status, whole.body.toString(), whole.headers['content-type']]).toEqual([
      200,
      '0123456789',
      'text/csv',
    ]);
    const part = await anonymous('GET', path, { range: 'bytes=-2' });
    expect([part.status, part.body.toString()]).toEqual([206, '89']);
    const head = await anonymous('HEAD', path);
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '10', 0]);
    const list = await anonymous('GET', '/tide-institute?list-type=2&prefix=tide-gauges%2F');
    expect(list.body.toString()).toContain(`<Key>${Key}</Key>`);
    expect((await anonymous('GET', path, { 'if-none-match': String(whole.headers.etag) })).status).toBe(304);
  });

  test('names nothing of the storage behind it', async () => {
    const path = '/tide-institute/tide-gauges/absent';
    const answer = await anonymous('GET', path);
    expectS3Error(answer, absent, undefined);
    const told = JSON.stringify(answer.headers) + answer.body.toString();
    for (const name of [service.storage.endpoint, service.storage.access_key_id, 'local-store']) {
      expect(told).not.toContain(name);
    }
  });

  test('refuses credentials that are not valid rather than taking their holder for anyone', async () => {
    const path = '/tide-institute/tide-gauges/brest.csv';
    const wrong = { ...credentials, secretAccessKey: 'x'.repeat(40) };
    expectS3Error(
      await sendSigned(service, wrong, { path }),
      {
        status: 403,
        code: 'SignatureDoesNotMatch',
        message:
          'The signature does not match the request; check the secret access key and that nothing changes the request on its way.',
      },
      path,
    );
    const swapped = await signIn(service, service.key);
    expectS3Error(
      await sendSigned(service, { ...credentials, sessionToken: swapped.sessionToken ?? '' }, { path }),
      {
        status: 400,
        code: 'InvalidToken',
        message:
          'The session token does not belong to the access key id; send both as the credential exchange returned them.',
      },
      path,
    );
  });
});

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
    expectS3Error(await anonymous('GET', path), absent, undefined);
  });

  test.each([
    '/tide-institute/../tide-institute/raw-drafts/secret',
    '/tide-institute//raw-drafts/secret',
    '/./tide-institute/raw-drafts/secret',
    '//tide-institute/raw-drafts/secret',
    '/../tide-institute/raw-drafts/secret',
  ])('name no account and no repository: %s', async (path) => {
    expectS3Error(await anonymous('GET', path), denied, path);
    expectS3Error(await sendSigned(service, credentials, { path }), denied, path);
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
        message: 'The header x-amz-acl is not offered here; send the request without it.',
      },
      path,
    );
    expectS3Error(
      await sendSigned(service, credentials, { path: '/tide-institute', query: { acl: '' } }),
      {
        status: 501,
        code: 'NotImplemented',
        message: 'This operation is not offered here; objects, lists, copies, tags and multipart uploads are.',
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
        message: 'The body does not have the SHA-256 that x-amz-content-sha256 gives.',
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
      await anonymous(method, path),
      { status: 405, code: 'MethodNotAllowed', message: 'The method must be GET, HEAD, PUT, POST or DELETE.' },
      path,
    );
  });

  test('a method that CloudFront does not know is refused before any function runs', async () => {
    const answer = await anonymous('PROPFIND', '/tide-institute/tide-gauges/a');
    expect([answer.status, told(answer)]).toEqual([403, ['MethodNotAllowed', 'This method is not allowed here.']]);
  });

  test('accounts are not listed', async () => {
    expectS3Error(
      await anonymous('GET', '/'),
      {
        status: 501,
        code: 'NotImplemented',
        message: 'Listing buckets is not offered; name an account as the bucket.',
      },
      '/',
    );
  });

  test('another host is misdirected', async () => {
    for (const host of ['data.example.org', 'localhost.example.org', '10.0.0.1']) {
      const answer = await anonymous('GET', '/tide-institute/tide-gauges/a', { host });
      expect([answer.status, told(answer)]).toEqual([
        421,
        [
          'MisdirectedRequest',
          'This server answers on this machine only: use 127.0.0.1 or localhost as the host of the address.',
        ],
      ]);
    }
  });
});
