import { describe, expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { addMember, made, repository, signUp, signUpTides } from '../users.ts';

const service = await testService();
const { ada, ben } = await signUpTides(service);
const eve = await signUp(service, 'eve');
await made(ada('POST', '/repositories/tides', repository('open')));
await made(ada('POST', '/repositories/tides', repository('hidden', { data_mode: 'private' })));
await addMember(ada, 'tides/hidden', ben, 'ben', 'read_data');

const overview = (client: Client, id: string) => client('GET', `/repositories/tides/${id}/overview`);

describe('the overview of a repository', () => {
  test('shows the description and the data URLs of an open repository to any caller, and no storage details', async () => {
    const { status, body } = await overview(service.anyone, 'open');
    const { data: _, ...shown } = (await ada('GET', '/repositories/tides/open')).body;
    expect(status).toBe(200);
    expect(body).toEqual({
      repository: shown,
      account: { account_id: 'tides', account_type: 'organization', profile: expect.any(Object) },
      data: { url: `${service.dataUrl}/tides/open/`, s3_uri: 's3://tides/open/' },
      permissions: [
        'getRepositoryOverview',
        'getInventory',
        'listVersions',
        'getVersion',
        'getVersionCitation',
        'getRepositoryUsage',
        'getRepositoryUsageFiles',
        'getRepositoryUsageTable',
        'getRepositoryUsageReport',
        'getRepositoryUsageBadge',
      ],
      roles: [],
    });
    expect(JSON.stringify(body)).not.toContain('store-one');
  });
});

describe('the roles that a caller may grant', () => {
  test('are the ones that the operations accept: a maintainer cannot create an owner', async () => {
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

describe('the permissions of a caller without a role', () => {
  test('are none for an existing and for a missing account or repository', async () => {
    for (const client of [service.anyone, eve])
      for (const path of [
        'accounts/tides',
        'accounts/absent',
        'repositories/tides/hidden',
        'repositories/tides/absent',
      ])
        expect((await made(client('GET', `/${path}/permissions`))).body).toEqual({ permissions: [], roles: [] });
    expect((await made(ada('GET', '/repositories/tides/absent/permissions'))).body.permissions).toEqual([]);
  });
});
