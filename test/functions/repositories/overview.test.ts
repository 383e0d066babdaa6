import { describe, expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { addMember, made, repository, signUp, signUpTides } from '../people.ts';

const service = await testService();
const { admin, ada, ben } = await signUpTides(service);
const eve = await signUp(service, 'eve');
await made(ada('POST', '/repositories/tides', repository('open')));
await made(ada('POST', '/repositories/tides', repository('hidden', { data_mode: 'private' })));
await addMember(ada, 'tides/hidden', ben, 'ben', 'read_data');

const overview = (client: Client, id: string) => client('GET', `/repositories/tides/${id}/overview`);

describe('the overview of a repository', () => {
  test('of an open one tells anybody what it is, where its data is, and nothing of the storage behind', async () => {
    const { status, body } = await overview(service.anyone, 'open');
    const { data: _, ...shown } = (await ada('GET', '/repositories/tides/open')).body;
    expect(status).toBe(200);
    expect(body).toEqual({
      repository: shown,
      account: { account_id: 'tides', account_type: 'organization', profile: expect.any(Object) },
      data: { url: `${service.dataUrl}/tides/open/`, s3_uri: 's3://tides/open/' },
      permissions: ['getRepositoryOverview'],
      roles: [],
    });
    expect(JSON.stringify(body)).not.toContain('store-one');
  });

  test('of a private one is for whoever may read it; to others it is like one that is not there', async () => {
    expect((await overview(ben, 'hidden')).body.repository.data_mode).toBe('private');
    for (const id of ['hidden', 'absent']) {
      expect((await overview(service.anyone, id)).status).toBe(401);
      for (const stranger of [eve, admin]) expect((await overview(stranger, id)).status).toBe(403);
    }
  });

  test('names what the caller may do, which is what the operations then do', async () => {
    const { body: ofReader } = await overview(ben, 'hidden');
    expect(ofReader.permissions).toEqual(['getRepositoryOverview']);
    const { body: ofOwner } = await overview(ada, 'hidden');
    expect(ofOwner.permissions).toEqual(
      expect.arrayContaining(['updateRepository', 'disableRepository', 'changeDataMode']),
    );
    expect((await ben('DELETE', '/repositories/tides/hidden')).status).toBe(403);
    expect((await ada('DELETE', '/repositories/tides/hidden')).status).toBe(200);
    expect((await overview(ada, 'hidden')).status).toBe(403);
    await made(ada('POST', '/repositories/tides/hidden/enable'));
  });
});

describe('the permissions in a repository', () => {
  const permissions = async (client: Client, id: string): Promise<string[]> =>
    (await made(client('GET', `/repositories/tides/${id}/permissions`))).body.permissions;

  test('are those of its overview, and none for a stranger or of what is not there', async () => {
    expect(await permissions(ada, 'hidden')).toEqual((await overview(ada, 'hidden')).body.permissions);
    expect(await permissions(service.anyone, 'open')).toEqual(['getRepositoryOverview']);
    for (const client of [service.anyone, eve]) {
      for (const id of ['hidden', 'absent']) expect(await permissions(client, id)).toEqual([]);
    }
    expect(await permissions(ada, 'absent')).toEqual([]);
  });

  test('of a disabled one name what its managers may do, which no overview tells', async () => {
    const mia = await signUp(service, 'mia');
    await addMember(ada, 'tides', mia, 'mia', 'maintainers');
    await made(ada('DELETE', '/repositories/tides/hidden'));
    expect(await permissions(ada, 'hidden')).toEqual(expect.arrayContaining(['enableRepository', 'deleteRepository']));
    expect(await permissions(mia, 'hidden')).toContain('enableRepository');
    expect(await permissions(mia, 'hidden')).not.toContain('deleteRepository');
    expect(await permissions(ben, 'hidden')).toEqual([]);
    await made(ada('POST', '/repositories/tides/hidden/enable'));
  });
});

describe('the roles that somebody may give', () => {
  test('are those that the operations take: a maintainer makes nobody an owner', async () => {
    const max = await signUp(service, 'max');
    await addMember(ada, 'tides', max, 'max', 'maintainers');
    const others = ['maintainers', 'read_data', 'write_data'];
    const all = ['owners', ...others].toSorted();
    for (const [client, roles] of [
      [ada, all],
      [max, others],
      [ben, []],
    ] as const) {
      for (const path of ['/accounts/tides/permissions', '/repositories/tides/hidden/permissions'])
        expect((await made(client('GET', path))).body.roles.toSorted(), path).toEqual(roles);
      expect((await overview(client, 'hidden')).body.roles.toSorted()).toEqual(roles);
    }
    const invite = async (role: string) =>
      (await max('POST', '/accounts/tides/members', { account_id: 'eve', role })).status;
    expect([await invite('owners'), await invite('maintainers')]).toEqual([403, 201]);
  });
});

describe('the permissions in an account', () => {
  const permissions = async (client: Client, id: string) =>
    (await made(client('GET', `/accounts/${id}/permissions`))).body;

  test('are none for a stranger, whether there is such an account or not', async () => {
    for (const client of [service.anyone, eve])
      for (const id of ['tides', 'absent'])
        expect(await permissions(client, id)).toEqual({ permissions: [], roles: [] });
  });

  test('are those of the role', async () => {
    expect((await permissions(ada, 'tides')).permissions).toEqual(
      expect.arrayContaining(['createRepository', 'inviteAccountMember', 'createServiceAccount']),
    );
    expect((await permissions(ada, 'tides')).permissions).not.toContain('updateAccountFlags');
    expect((await permissions(admin, 'tides')).permissions).toContain('updateAccountFlags');
  });
});
