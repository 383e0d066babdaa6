import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { s3Client, signIn } from '../service/data-clients.ts';
import { absentError, deniedError, expectS3Error, unsignedError } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';

const service = await seededService();
const credentials = await signIn(service, service.key);

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
        else expectS3Error(answer, deniedError, path);
      }
    },
  );

  test.each(['their-drafts/', 'nothing/'])('nor is it listed: %s', async (prefix) => {
    const query = { 'list-type': '2', prefix };
    expectS3Error(await sendSigned(service, credentials, { path: '/other-lab', query }), deniedError, '/other-lab');
  });

  test('nor can it be the source of a copy', async () => {
    const path = '/tide-institute/raw-drafts/stolen';
    const headers = { 'x-amz-copy-source': '/other-lab/their-drafts/data.csv' };
    expectS3Error(await sendSigned(service, credentials, { method: 'PUT', path, headers }), deniedError, path);
  });

  test('nor are its objects deleted among others', async () => {
    const body = '<Delete><Object><Key>their-drafts/data.csv</Key></Object></Delete>';
    const request = { method: 'POST', path: '/other-lab', query: { delete: '' }, body };
    expectS3Error(await sendSigned(service, credentials, request), deniedError, '/other-lab');
  });

  test('a private repository is closed to anonymous callers', async () => {
    const path = '/tide-institute/raw-drafts/data.csv';
    expectS3Error(await sendAnonymous(service, 'GET', path), unsignedError, path);
    expectS3Error(await sendAnonymous(service, 'PUT', path, {}, 'x'), unsignedError, path);
    const list = '/tide-institute?list-type=2&prefix=raw-drafts%2F';
    expectS3Error(await sendAnonymous(service, 'GET', list), unsignedError, '/tide-institute');
  });

  test('an open repository is written by nobody without a grant', async () => {
    const path = '/tide-institute/tide-gauges/data.csv';
    expectS3Error(await sendAnonymous(service, 'PUT', path, {}, 'x'), unsignedError, path);
    expectS3Error(await sendAnonymous(service, 'DELETE', path), unsignedError, path);
  });

  test("a repository of the service account's own owner needs a grant, and its access is the grant's", async () => {
    await makeRepository('ada', 'tide-institute', 'ungranted', 'private');
    await makeRepository('ada', 'tide-institute', 'read-granted', 'private');
    const ada = await service.person('ada');
    await ada('PUT', '/service-accounts/tide-institute--nightly-sync/grants/read-granted', { access: 'read' });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const path = '/tide-institute/ungranted/data.csv';
      expectS3Error(await sendSigned(service, credentials, { method, path }), deniedError, path);
    }
    const path = '/tide-institute/read-granted/data.csv';
    expectS3Error(await sendSigned(service, credentials, { path }), absentError, undefined);
    expectS3Error(await sendSigned(service, credentials, { method: 'PUT', path, body: 'x' }), deniedError, path);
    expectS3Error(await sendSigned(service, credentials, { method: 'DELETE', path }), deniedError, path);
  });

  test('credentials of the role ReadOnly read and do not write', async () => {
    const readOnly = await signIn(service, service.key, { role: 'ReadOnly' });
    const path = '/tide-institute/raw-drafts/read-only';
    await sendSigned(service, credentials, { method: 'PUT', path, body: 'here' });
    expect((await sendSigned(service, readOnly, { path })).body.toString()).toBe('here');
    expectS3Error(await sendSigned(service, readOnly, { method: 'PUT', path, body: 'x' }), deniedError, path);
    expectS3Error(await sendSigned(service, readOnly, { method: 'DELETE', path }), deniedError, path);
  });
});

describe('an open repository', () => {
  test('is read by anyone: whole, in part, described and listed', async () => {
    const Key = 'tide-gauges/brest.csv';
    await s3Client(service, credentials).send(
      new PutObjectCommand({ Bucket: 'tide-institute', Key, Body: '0123456789', ContentType: 'text/csv' }),
    );
    const path = `/tide-institute/${Key}`;
    const whole = await sendAnonymous(service, 'GET', path);
    expect([whole.status, whole.body.toString(), whole.headers['content-type']]).toEqual([
      200,
      '0123456789',
      'text/csv',
    ]);
    const part = await sendAnonymous(service, 'GET', path, { range: 'bytes=-2' });
    expect([part.status, part.body.toString()]).toEqual([206, '89']);
    // Once the object is cached, the edge must answer as storage does.
    for (const range of ['bytes=10-19', 'bytes=10-', 'bytes=99999-']) {
      const beyond = await sendAnonymous(service, 'GET', path, { range });
      expect([beyond.status, beyond.body.toString()], range).toEqual([416, expect.stringContaining('InvalidRange')]);
    }
    const head = await sendAnonymous(service, 'HEAD', path);
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '10', 0]);
    const list = await sendAnonymous(service, 'GET', '/tide-institute?list-type=2&prefix=tide-gauges%2F');
    expect(list.body.toString()).toContain(`<Key>${Key}</Key>`);
    expect((await sendAnonymous(service, 'GET', path, { 'if-none-match': String(whole.headers.etag) })).status).toBe(
      304,
    );
  });

  test('names nothing of the storage behind it', async () => {
    const path = '/tide-institute/tide-gauges/absent';
    const answer = await sendAnonymous(service, 'GET', path);
    expectS3Error(answer, absentError, undefined);
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
          'The session token does not belong to this access key id; sign in again and send both as they came (the AWS CLI caches credentials in ~/.aws/cli/cache).',
      },
      path,
    );
  });
});
