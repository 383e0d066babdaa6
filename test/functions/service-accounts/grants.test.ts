import { beforeEach, expect, test } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { newRepository as recordOf } from '../../lib/store/open-store.ts';
import { inBatches, made, signUp } from '../users.ts';
import {
  type NewServiceAccount,
  objectRefused,
  organization,
  privateRepository,
  serviceAccountFixture,
} from './fixture.ts';

const service = await serviceAccountFixture();
let account: NewServiceAccount;
beforeEach(async () => {
  account = await service.newServiceAccount();
});

const grantPath = (repositoryId: string) => `${account.path}/grants/${repositoryId}`;
const grants = async () => (await service.ada('GET', `${account.path}/grants`)).body;
const credentials = async () => service.exchange((await account.issueKey()).key);
const newRepository = (owner: typeof service.ada, accountId: string, repository_id: string) =>
  made(
    owner('POST', `/repositories/${accountId}`, {
      repository_id,
      data_mode: 'private',
      meta: { title: 'T', description: 'D', tags: '' },
      data_connection_id: seedNames.data_connection_id,
    }),
  );

test('a first PUT returns 201, later ones return 200, and each replaces the access', async () => {
  await made(service.ada('DELETE', grantPath(privateRepository)));
  const put = (access: string) => service.ada('PUT', grantPath(privateRepository), { access });
  expect(await put('read')).toMatchObject({ status: 201, body: { repository_id: privateRepository, access: 'read' } });
  expect(await put('read_write')).toMatchObject({ status: 200, body: { access: 'read_write' } });
  expect(await put('read_write')).toMatchObject({ status: 200 });
  expect(await grants()).toEqual([
    { repository_id: privateRepository, access: 'read_write', repository_title: expect.any(String) },
  ]);
  await service.write(await credentials());
});

test('access `read` does not permit writes, and access `none` permits no reads', async () => {
  await service.write(await credentials());
  await made(service.ada('PUT', grantPath(privateRepository), { access: 'read' }));
  service.pass(61);
  const issued = await credentials();
  await expect(service.write(issued)).rejects.toMatchObject(objectRefused);
  expect(await service.read(issued)).toBe('a reading');
  await made(service.ada('DELETE', grantPath(privateRepository)));
  service.pass(301);
  await expect(service.read(issued)).rejects.toMatchObject(objectRefused);
});

test('refuses a grant for a repository of another account and for a missing one with the same answer', async () => {
  const ben = await signUp(service, 'ben');
  await newRepository(ben, 'ben', 'bens-data');
  const detail = (id: string) => `${organization} has no repository ${id}; grant one that it owns`;
  for (const id of ['bens-data', 'nothing-here'])
    expect(await service.ada('PUT', grantPath(id), { access: 'read' })).toMatchObject({
      status: 404,
      body: { detail: detail(id) },
    });
  expect(await grants()).toHaveLength(1);
});

test('a grant on a disabled repository remains, and takes effect when the repository is enabled again', async () => {
  await newRepository(service.ada, organization, 'paused');
  await made(service.ada('PUT', grantPath('paused'), { access: 'read_write' }));
  await service.write(await credentials(), 'paused');
  await made(service.ada('POST', `/repositories/${organization}/paused/disable`));
  service.pass(301);
  const issued = await credentials();
  await expect(service.write(issued, 'paused')).rejects.toMatchObject(objectRefused);
  await expect(service.read(issued, 'paused')).rejects.toMatchObject(objectRefused);
  expect(await grants()).toHaveLength(2);
  const admin = await service.user('admin');
  await made(admin('POST', `/repositories/${organization}/paused/enable`));
  service.pass(61);
  await service.write(issued, 'paused');
});

test('a service account has at most 1,000 grants, also with concurrent requests', async () => {
  const { serviceAccounts } = service.services.store;
  const record = { uid: account.uid, service_account_id: account.id } as Parameters<typeof serviceAccounts.putGrant>[0];
  const event = (index: number) => ({
    event_id: `event-${index}`,
    time: new Date().toISOString(),
    kind: 'grant.set' as const,
    account_id: organization,
    actor: { account_id: 'ada' },
    subject: {},
    request_id: '',
  });
  // Write the records directly to the table, because creating a thousand repositories through the API would be slow.
  const named = (index: number) => recordOf(organization, `r-${index}`);
  const there = new Map(Array.from({ length: 1005 }, (_, index) => [index, named(index)]));
  await service.table.putAll([...there.values()].map(encodeRepository));
  const grant = (index: number) =>
    serviceAccounts.putGrant(
      record,
      { access: 'read' },
      there.get(index) ?? named(index),
      new Date().toISOString(),
      event(index),
    );
  await inBatches(997, 20, async (index) => void (await grant(index)));
  const racing = await Promise.allSettled([1000, 1001, 1002, 1003, 1004].map(grant));
  expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await grants()).toHaveLength(1000);
  expect(await service.ada('PUT', grantPath('tide-gauges'), { access: 'read' })).toMatchObject({
    status: 409,
    body: { detail: 'A service account has at most 1000 grants; remove one first' },
  });
  expect(await service.ada('PUT', grantPath(privateRepository), { access: 'read' })).toMatchObject({ status: 200 });
  await made(service.ada('DELETE', grantPath(privateRepository)));
  expect((await service.ada('PUT', grantPath('tide-gauges'), { access: 'read' })).status).toBe(201);
}, 300_000);
