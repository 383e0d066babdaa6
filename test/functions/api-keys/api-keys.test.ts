import { describe, expect, test } from 'vitest';
import { needsBearerToken } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { account, addMember, made, repository, signUpTides } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
const { admin, ada, ben } = await signUpTides(service);
await made(ada('POST', '/repositories/tides', repository('gauges')));
await made(admin('POST', '/accounts', account('robot', 'service')));

/** Returns a time relative to the service's clock, which tests move. */
const at = (seconds: number) => new Date(service.services.clock() + seconds * 1000).toISOString();

async function createKey(client: Client, path: string, changes: Record<string, unknown> = {}) {
  const { body, headers } = await made(client('POST', path, { name: 'a key', expires: at(3600), ...changes }));
  const authorization = `${body.access_key_id} ${body.secret_access_key}`;
  return { body, headers, as: service.withAuthorization(authorization) };
}

const places = [
  ['a user', '/accounts/ada/api-keys'],
  ['an organization', '/accounts/tides/api-keys'],
  ['a repository', '/repositories/tides/gauges/api-keys'],
] as const;

describe.each(places)('a key of %s', (what, path) => {
  const repositoryId = what === 'a repository' ? { repository_id: 'gauges' } : {};

  test('contains its secret only in the creating response; no list, no revocation, and no table item contains it', async () => {
    const expires = at(3600);
    const { body, headers } = await createKey(ada, path, { name: 'reader', expires });
    expect(body).toEqual({
      access_key_id: expect.stringMatching(/^SCAK[A-Z2-7]{16}$/),
      secret_access_key: expect.stringMatching(/^[0-9A-Za-z]{64}$/),
      account_id: what === 'a user' ? 'ada' : 'tides',
      ...repositoryId,
      name: 'reader',
      expires,
      disabled: false,
      created_by: 'ada',
      created_by_name: null,
      created_by_is_member: true,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    const { secret_access_key, ...shown } = body;
    expect((await ada('GET', path)).body).toContainEqual(shown);
    expect((await ada('DELETE', `/api-keys/${body.access_key_id}`)).body).toEqual({ ...shown, disabled: true });
    expect(JSON.stringify(await table.all())).not.toContain(secret_access_key);
  });

  test('authenticates until it is revoked, and a second revocation gives the same answer', async () => {
    const { body, as } = await createKey(ada, path);
    expect((await as('GET', '/whoami')).status).toBe(200);
    const revoked = await ada('DELETE', `/api-keys/${body.access_key_id}`);
    expect((await as('GET', '/whoami')).status).toBe(401);
    expect((await ada('DELETE', `/api-keys/${body.access_key_id}`)).body).toEqual(revoked.body);
  });

  test('authenticates until its expiry', async () => {
    const { as } = await createKey(ada, path, { expires: at(100) });
    expect((await as('GET', '/whoami')).status).toBe(200);
    service.advance(101);
    expect((await as('GET', '/whoami')).status).toBe(401);
  });
});

test('each list contains the keys of its own scope, also revoked and expired ones, oldest first', async () => {
  const ids = async (path: string) =>
    (await ada('GET', path)).body.map((key: { access_key_id: string }) => key.access_key_id);
  const before = await Promise.all(places.map(([, path]) => ids(path)));
  const created: unknown[] = [];
  for (const [, path] of places) created.push((await createKey(ada, path)).body.access_key_id);
  expect(await Promise.all(places.map(([, path]) => ids(path)))).toEqual(
    before.map((list, index) => [...list, created[index]]),
  );
});

describe('a credential that is incomplete is refused like any invalid one:', () => {
  test.each([
    ['a character changed in the secret', (id: string, secret: string) => `${id} ${flip(secret)}`],
    ['the secret cut short', (id: string, secret: string) => `${id} ${secret.slice(0, -1)}`],
    ['the secret of another key', (id: string, _: string, other: string) => `${id} ${other}`],
    ['no secret', (id: string) => id],
    ['the secret twice', (id: string, secret: string) => `${id} ${secret} ${secret}`],
    ['a colon between', (id: string, secret: string) => `${id}:${secret}`],
    ['an ID that no key has', (_: string, secret: string) => `SCAKAAAAAAAAAAAAAAAA ${secret}`],
    ['the ID in lower case', (id: string, secret: string) => `${id.toLowerCase()} ${secret}`],
    ['the scheme of another service', (id: string, secret: string) => `AWS ${id}:${secret}`],
    ['the secret as a bearer token', (_: string, secret: string) => `Bearer ${secret}`],
    ['basic credentials', (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`],
  ])('%s', async (_, make) => {
    const { body } = await createKey(ada, '/accounts/ada/api-keys');
    const other = await createKey(ada, '/accounts/ada/api-keys');
    const nonsense = await service.withAuthorization('Bearer nonsense')('GET', '/whoami');
    const authorization = make(body.access_key_id, body.secret_access_key, other.body.secret_access_key);
    const refused = await service.withAuthorization(authorization)('GET', '/whoami');
    expect(refused.status).toBe(401);
    expect({ ...refused.body, request_id: '' }).toEqual({ ...nonsense.body, request_id: '' });
  });

  const flip = (secret: string) => (secret.startsWith('a') ? 'b' : 'a') + secret.slice(1);
});

describe('an expiry', () => {
  test.each([
    ['lies in the past', () => at(-1)],
    ['is now', () => at(0)],
    ['lies beyond the year 9999', () => '+010000-01-01T00:00:00Z'],
    ['lies beyond the year 9999 in UTC', () => '9999-12-31T23:59:59-00:01'],
    ['has five digits in its year', () => '10000-01-01T00:00:00Z'],
    ['has no zone', () => '2040-01-01T00:00:00'],
    ['is a date alone', () => '2040-01-01'],
    ['is not a date', () => 'tomorrow'],
    ['is a day that does not exist', () => '2041-02-30T00:00:00Z'],
    ['is a leap day of a year without one', () => '2041-02-29T00:00:00Z'],
    ['is an hour that does not exist', () => '2041-01-01T24:00:00Z'],
    ['is a leap second', () => '2041-06-30T23:59:60Z'],
    ['is a number', () => 4_102_444_800],
    ['is empty', () => ''],
    ['is null', () => null],
    ['is missing', () => undefined],
    ['has spaces around it', () => ' 2040-01-01T00:00:00Z '],
  ])('is refused if it %s', async (_, expires) => {
    for (const [, path] of places) {
      const answer = await ada('POST', path, { name: 'a key', expires: expires() });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'expires' }] } });
    }
  });

  test.each([
    ['2040-01-01T02:30:00+02:30', '2040-01-01T00:00:00.000Z'],
    ['2039-12-31T16:00:00-08:00', '2040-01-01T00:00:00.000Z'],
    ['2040-02-29T12:00:00.123456Z', '2040-02-29T12:00:00.123Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('is accepted if it is %s, and becomes %s', async (expires, shown) => {
    expect((await createKey(ada, '/accounts/ada/api-keys', { expires })).body.expires).toBe(shown);
  });
});

test.each([
  ['', 400],
  ['x', 201],
  ['🔑'.repeat(128), 201],
  ['🔑'.repeat(129), 400],
  [null, 400],
  [undefined, 400],
])('a request with the name %s gets %i', async (name, status) => {
  const answer = await ada('POST', '/accounts/ada/api-keys', { name, expires: at(3600) });
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body.errors[0].path).toBe('name');
});

test.each([
  ['/accounts/ada/api-keys', 'ada', 'user'],
  ['/accounts/tides/api-keys', 'tides', 'organization'],
  ['/repositories/tides/gauges/api-keys', 'tides', 'organization'],
  ['/accounts/robot/api-keys', 'robot', 'service'],
])('a key created at %s gets a session of the scope %s', async (path, accountId, type) => {
  const { as } = await createKey(type === 'service' ? admin : ada, path);
  const { status, body } = await as('GET', '/whoami');
  expect(status).toBe(200);
  expect(body.account).toMatchObject({ account_id: accountId, account_type: type });
});

// A maintainer of a repository issues its keys, and learns nothing else about the owner account.
test("the session of a repository's key shows only public fields of the account, and no memberships", async () => {
  await made(ada('POST', '/repositories/ada', repository('shared')));
  await addMember(ada, 'ada/shared', ben, 'ben', 'maintainers');
  expect((await ben('GET', '/accounts/ada')).status).toBe(403);
  const { as, body } = await createKey(ben, '/repositories/ada/shared/api-keys');
  expect((await as('GET', '/whoami')).body).toEqual({
    identity_id: body.access_key_id,
    account: {
      account_id: 'ada',
      account_type: 'user',
      identity_id: '',
      disabled: false,
      profile: (await ben('GET', '/accounts/ada/profile')).body,
      flags: [],
    },
    memberships: [],
  });
});

test('a user’s API key performs every read and four changes', () => {
  const authorized = registry.filter(({ ignoresAuthorization }) => !ignoresAuthorization);
  const open = authorized.filter((operation) => !needsBearerToken(operation));
  expect(open.filter(({ method }) => method !== 'GET').map(({ name }) => name)).toEqual([
    'update-profile',
    'create-repository',
    'update-repository',
    'create-version',
  ]);
  expect(authorized.filter(({ method }) => method === 'GET').filter(needsBearerToken)).toEqual([]);
});
