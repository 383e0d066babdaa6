import { expect, test, vi } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { addMember, made, repository, signUpTides } from '../users.ts';

const service = await testService();
const { admin, ada, ben } = await signUpTides(service);
const membershipId = await addMember(ada, 'tides', ben, 'ben', 'maintainers');
await made(ada('POST', '/repositories/tides', repository('gauges')));
await made(ada('POST', '/accounts/tides/service-accounts', { name: 'sync' }));
for (const [client, name] of [
  [ada, 'hers'],
  [ben, 'his'],
] as const)
  await makeAll(client, name);
await made(
  admin('POST', '/repositories/tides/gauges/api-keys', { name: 'the platform', expires: '2090-01-01T00:00:00Z' }),
);

async function makeAll(client: Client, name: string): Promise<void> {
  for (const path of ['/accounts/tides', '/repositories/tides/gauges'])
    await made(client('POST', `${path}/api-keys`, { name, expires: '2090-01-01T00:00:00Z' }));
  await made(client('POST', '/service-accounts/tides--sync/keys', { label: name, expiry: 'never' }));
}

type Shown = { name?: string; label?: string; created_by: string | null; created_by_is_member: boolean | null };
const makers = async (path: string) =>
  (await made(ada('GET', path))).body.map((key: Shown) => [
    key.name ?? key.label,
    key.created_by,
    key.created_by_is_member,
  ]);
const madeBy = async (created_by: string) =>
  (await made(ada('GET', `/accounts/tides/keys?created_by=${created_by}`))).body;

test('each key shows its creator and whether the creator is still a member; an administrator never was', async () => {
  const both = [
    ['hers', 'ada', true],
    ['his', 'ben', true],
  ];
  expect(await makers('/accounts/tides/api-keys')).toEqual(both);
  expect(await makers('/repositories/tides/gauges/api-keys')).toEqual([...both, ['the platform', 'site-admin', false]]);
  expect(await makers('/service-accounts/tides--sync/keys')).toEqual(both);
});

test('the departure of a member notifies the remaining members, who find and revoke its keys, and ends no key', async () => {
  await made(ben('POST', `/memberships/${membershipId}/revoke`));
  expect(await makers('/accounts/tides/api-keys')).toContainEqual(['his', 'ben', false]);
  expect(await makers('/repositories/tides/gauges/api-keys')).toContainEqual(['his', 'ben', false]);
  expect(await makers('/service-accounts/tides--sync/keys')).toContainEqual(['his', 'ben', false]);

  const found = await madeBy('ben');
  expect(found).toMatchObject([
    { kind: 'api_key', name: 'his', state: 'active' },
    { kind: 'api_key', repository_id: 'gauges', state: 'active' },
    { kind: 'service_account_key', service_account_id: 'tides--sync', name: 'his', state: 'active', expires_at: null },
  ]);
  expect(JSON.stringify(found)).not.toMatch(/hash|secret|uid/);
  const left = () =>
    service.logged.flatMap((line) =>
      'event' in line && line.event.type === 'membership.keys_left' ? [line.event.detail] : [],
    );
  await vi.waitFor(() => expect(left()).toHaveLength(1), { timeout: 20_000 });
  expect(left()).toMatchObject([{ account_id: 'tides', member_account_id: 'ben', keys: 3 }]);
  const told = (await ada('GET', '/accounts/tides/audit-events?kind=membership.keys_left')).body;
  expect(told).toMatchObject([{ subject: { account_id: 'ben', keys: '3' }, actor: { account_id: null } }]);

  await made(ada('DELETE', `/api-keys/${found[0].access_key_id}`));
  await made(ada('DELETE', `/service-accounts/tides--sync/keys/${found[2].key_id}`));
  expect((await madeBy('ben')).map(({ state }: { state: string }) => state)).toEqual(['revoked', 'active', 'revoked']);
});

test('only the managers of an account see the creator of a key', async () => {
  expect((await ben('GET', '/accounts/tides/keys?created_by=ben')).status).toBe(403);
  expect((await admin('GET', '/accounts/tides/keys?created_by=ben')).status).toBe(403);
  expect((await ada('GET', '/accounts/tides/keys')).body).toEqual(await madeBy('ada'));
  expect(await madeBy('nobody')).toEqual([]);
});
