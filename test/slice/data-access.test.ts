import { beforeAll, describe, expect, test } from 'vitest';
import { made } from '../functions/people.ts';
import { type Credentials, signIn } from '../service/data-clients.ts';
import { absentError, deniedError, expectS3Error, unsignedError } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';

const service = await seededService();
const credentials = await signIn(service, service.key);
const sign = (request: Parameters<typeof sendSigned>[2], as: Credentials = credentials) =>
  sendSigned(service, as, request);

async function createPrivate(owner: string, organization: string, repository_id: string) {
  const meta = { title: 'T', description: 'D', tags: 't' };
  const repository = { repository_id, data_mode: 'private', meta, data_connection_id: 'local-store' };
  await made((await service.person(owner))('POST', `/repositories/${organization}`, repository));
}

describe('what may not be reached', () => {
  beforeAll(async () => {
    const [admin, grace] = [await service.person('admin'), await service.person('grace')];
    await made(grace('POST', '/accounts', { account_id: 'grace', account_type: 'user', profile: {} }));
    await made(admin('PUT', '/accounts/grace/flags', ['create_organizations', 'create_repositories']));
    await made(grace('POST', '/accounts', { account_id: 'other-lab', account_type: 'organization', profile: {} }));
    await createPrivate('grace', 'other-lab', 'their-drafts');
  });

  test.each<[string, string, Record<string, string>?]>([
    ['GET', '/data.csv'],
    ['HEAD', '/data.csv'],
    ['PUT', '/data.csv'],
    ['DELETE', '/data.csv'],
    ['POST', '/data.csv', { uploads: '' }],
  ])(
    "another account's private repository refuses %s in the words for one that is not there",
    async (method, rest, query = {}) => {
      const others = ['other-lab/their-drafts', 'other-lab/nothing', 'nobody/nothing', 'tide-institute/nothing'];
      for (const path of others.map((repository) => `/${repository}${rest}`)) {
        const answer = await sign({ method, path, query, ...(method === 'PUT' ? { body: 'mine' } : {}) });
        if (method === 'HEAD') expect([answer.status, answer.body.length]).toEqual([403, 0]);
        else expectS3Error(answer, deniedError, path);
      }
    },
  );

  const theirs = '/other-lab/their-drafts/data.csv';
  const bulk = '<Delete><Object><Key>their-drafts/data.csv</Key></Object></Delete>';
  test.each<[string, Parameters<typeof sign>[0]]>([
    ['is listed', { path: '/other-lab', query: { 'list-type': '2', prefix: 'their-drafts/' } }],
    ['is listed where it does not exist', { path: '/other-lab', query: { 'list-type': '2', prefix: 'nothing/' } }],
    [
      'is the source of a copy',
      { method: 'PUT', path: '/tide-institute/raw-drafts/stolen', headers: { 'x-amz-copy-source': theirs } },
    ],
    ['is deleted among others', { method: 'POST', path: '/other-lab', query: { delete: '' }, body: bulk }],
  ])('nor can it be reached where it %s', async (_, request) => {
    expectS3Error(await sign(request), deniedError, request.path);
  });

  test.each([
    ['GET', '/tide-institute/raw-drafts/data.csv'],
    ['PUT', '/tide-institute/raw-drafts/data.csv', 'x'],
    ['GET', '/tide-institute?list-type=2&prefix=raw-drafts%2F'],
    ['PUT', '/tide-institute/tide-gauges/data.csv', 'x'],
    ['DELETE', '/tide-institute/tide-gauges/data.csv'],
  ])('an anonymous caller may not %s %s', async (method, target, body?: string) => {
    expectS3Error(await sendAnonymous(service, method, target, {}, body), unsignedError, target.split('?')[0]);
  });

  test("a repository of the service account's own owner needs a grant, and its access is the grant's", async () => {
    await createPrivate('ada', 'tide-institute', 'ungranted');
    await createPrivate('ada', 'tide-institute', 'read-granted');
    const ada = await service.person('ada');
    await ada('PUT', '/service-accounts/tide-institute--nightly-sync/grants/read-granted', { access: 'read' });
    for (const repository of ['ungranted', 'read-granted']) {
      const path = `/tide-institute/${repository}/data.csv`;
      const [read, ...writes] = [
        await sign({ path }),
        await sign({ method: 'PUT', path, body: 'x' }),
        await sign({ method: 'DELETE', path }),
      ];
      if (repository === 'ungranted') expectS3Error(read, deniedError, path);
      else expectS3Error(read, absentError, undefined);
      for (const write of writes) expectS3Error(write, deniedError, path);
    }
  });

  test('credentials of the role ReadOnly read and do not write', async () => {
    const readOnly = await signIn(service, service.key, { role: 'ReadOnly' });
    const path = '/tide-institute/raw-drafts/read-only';
    await sign({ method: 'PUT', path, body: 'here' });
    expect((await sign({ path }, readOnly)).body.toString()).toBe('here');
    expectS3Error(await sign({ method: 'PUT', path, body: 'x' }, readOnly), deniedError, path);
    expectS3Error(await sign({ method: 'DELETE', path }, readOnly), deniedError, path);
  });
});

describe('an open repository', () => {
  const path = '/tide-institute/tide-gauges/brest.csv';
  const read = (headers: Record<string, string> = {}, method = 'GET') => sendAnonymous(service, method, path, headers);

  test('is read by anyone: whole, in part, described and listed', async () => {
    await sign({ method: 'PUT', path, headers: { 'content-type': 'text/csv' }, body: '0123456789' });
    const whole = await read();
    expect([whole.status, whole.body.toString(), whole.headers['content-type']]).toEqual([
      200,
      '0123456789',
      'text/csv',
    ]);
    const part = await read({ range: 'bytes=-2' });
    expect([part.status, part.body.toString()]).toEqual([206, '89']);
    // Once the object is cached, the edge must answer as storage does.
    for (const range of ['bytes=10-19', 'bytes=10-', 'bytes=99999-']) {
      const beyond = await read({ range });
      expect([beyond.status, beyond.body.toString()], range).toEqual([416, expect.stringContaining('InvalidRange')]);
    }
    const head = await read({}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '10', 0]);
    const list = await sendAnonymous(service, 'GET', '/tide-institute?list-type=2&prefix=tide-gauges%2F');
    expect(list.body.toString()).toContain('<Key>tide-gauges/brest.csv</Key>');
    expect((await read({ 'if-none-match': String(whole.headers.etag) })).status).toBe(304);
  });

  test('names nothing of the storage behind it', async () => {
    const answer = await sendAnonymous(service, 'GET', '/tide-institute/tide-gauges/absent');
    expectS3Error(answer, absentError, undefined);
    const told = JSON.stringify(answer.headers) + answer.body.toString();
    const { endpoint, access_key_id } = service.storage;
    for (const name of [endpoint, access_key_id, 'local-store']) expect(told).not.toContain(name);
  });

  test('refuses credentials that are not valid rather than taking their holder for anyone', async () => {
    const wrong = { ...credentials, secretAccessKey: 'x'.repeat(40) };
    expectS3Error(
      await sign({ path }, wrong),
      {
        status: 403,
        code: 'SignatureDoesNotMatch',
        message:
          'The signature does not match the request; check the secret access key and that nothing changes the request on its way.',
      },
      path,
    );
    const { sessionToken = '' } = await signIn(service, service.key);
    expectS3Error(
      await sign({ path }, { ...credentials, sessionToken }),
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
