import { beforeEach, describe, expect, test, vi } from 'vitest';
import { made } from '../users.ts';
import {
  ciRepository,
  day,
  keyRefused,
  type NewServiceAccount,
  objectRefused,
  organization,
  serviceAccountFixture,
  workflowRefused,
} from './fixture.ts';

/** Section "States and transitions" of the specification, row by row, as clients see it. */

const service = await serviceAccountFixture();
let account: NewServiceAccount;
beforeEach(async () => {
  account = await service.newServiceAccount();
});

const stateOf = async (keyId: string) =>
  (await service.ada('GET', `${account.path}/keys`)).body.find((key: { key_id: string }) => key.key_id === keyId);
const trust = async (branch: string): Promise<string> =>
  (await made(service.ada('POST', `${account.path}/trusted-workflows`, { repository: ciRepository, branch }))).body
    .workflow_id;
const runSignsIn = async (branch: string) =>
  service.exchange(await service.runOn(branch), { serviceAccountId: account.id });

describe('a service-account key that is active', () => {
  test('is revoked for the service account: exchanges stop, and issued credentials work until they expire', async () => {
    const { key, key_id } = await account.issueKey();
    const credentials = await service.exchange(key);
    const revoked = await service.ada('DELETE', `${account.path}/keys/${key_id}`);
    expect(revoked).toMatchObject({ status: 200, body: { key_id, state: 'revoked' } });
    await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
    await service.write(credentials);
    // Move one minute less than an hour, because requests also take time.
    service.pass(3540);
    await service.write(credentials);
    service.pass(61);
    await expect(service.write(credentials)).rejects.toMatchObject({ name: 'ExpiredToken' });
    expect(await stateOf(key_id)).toMatchObject({ state: 'revoked' });
  });

  test('expires at its expiry, and exchanges stop', async () => {
    const { key, key_id } = await account.issueKey('30d');
    service.pass(30 * day - 60);
    await service.exchange(key);
    expect(await stateOf(key_id)).toMatchObject({ state: 'active' });
    service.pass(61);
    await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
    expect(await stateOf(key_id)).toMatchObject({ state: 'expired' });
  });
});

test('a change of its expiry makes an expired service-account key valid until the new time', async () => {
  const { key, key_id } = await account.issueKey('30d');
  service.pass(31 * day);
  await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
  const changed = await service.ada('PUT', `${account.path}/keys/${key_id}/expiry`, { expiry: '30d' });
  expect(changed.body).toMatchObject({ state: 'active' });
  await service.exchange(key);
  service.pass(30 * day + 1);
  await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
});

describe('a service account', () => {
  test('stops sign-ins when disabled, then writes within a minute and restricted reads within five; open data stays readable', async () => {
    const { key } = await account.issueKey();
    await trust('main');
    const credentials = await service.exchange(key);
    await service.write(credentials);
    await service.read(credentials);
    expect(await service.ada('POST', `${account.path}/disable`)).toMatchObject({
      status: 200,
      body: { disabled: true },
    });

    await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
    await expect(runSignsIn('main')).rejects.toMatchObject(workflowRefused);
    service.pass(61);
    await expect(service.write(credentials)).rejects.toMatchObject(objectRefused);
    service.pass(240);
    await expect(service.read(credentials)).rejects.toMatchObject(objectRefused);
    const open = `${service.dataUrl}/${organization}/tide-gauges/nothing`;
    expect((await fetch(open)).status).toBe(404);
    expect(await stillThere()).toEqual({ keys: 1, grants: 1, workflows: 1 });
  });

  test('accepts every key that is neither revoked nor expired, and its workflows, when enabled again', async () => {
    const kept = await account.issueKey('90d');
    const revoked = await account.issueKey('90d');
    const expiring = await account.issueKey('30d');
    await trust('main');
    const credentials = await service.exchange(kept.key);
    await made(service.ada('POST', `${account.path}/disable`));
    await made(service.ada('DELETE', `${account.path}/keys/${revoked.key_id}`));
    service.pass(31 * day);
    expect(await service.ada('POST', `${account.path}/enable`)).toMatchObject({
      status: 200,
      body: { disabled: false },
    });

    await service.write(await service.exchange(kept.key));
    await runSignsIn('main');
    await expect(service.exchange(revoked.key)).rejects.toMatchObject(keyRefused);
    await expect(service.exchange(expiring.key)).rejects.toMatchObject(keyRefused);
    await expect(service.write(credentials)).rejects.toMatchObject({ name: 'ExpiredToken' });
  });
});

async function stillThere() {
  const count = async (what: string) => (await service.ada('GET', `${account.path}/${what}`)).body.length;
  return { keys: await count('keys'), grants: await count('grants'), workflows: await count('trusted-workflows') };
}

test('lists an expired or revoked key for 400 days, and then removes it', {
  timeout: 90_000,
}, async () => {
  const change = (keyId: string, expiry: string) =>
    made(service.ada('PUT', `${account.path}/keys/${keyId}/expiry`, { expiry }));
  const expired = await account.issueKey('30d');
  const revoked = await account.issueKey('never');
  await made(service.ada('DELETE', `${account.path}/keys/${revoked.key_id}`));
  // Both keys would have expired if their original expiry still applied.
  const prolonged = await account.issueKey('30d');
  await change(prolonged.key_id, '1y');
  const lasting = await account.issueKey('30d');
  await change(lasting.key_id, 'never');
  const listed = async () => {
    await service.ttl.runOnce();
    const { body } = await service.ada('GET', `${account.path}/keys`);
    return body.map(({ key_id, state }: { key_id: string; state: string }) => [key_id, state]);
  };
  const rows = {
    expired: [expired.key_id, 'expired'],
    revoked: [revoked.key_id, 'revoked'],
    prolonged: [prolonged.key_id, 'expired'],
    lasting: [lasting.key_id, 'active'],
  };
  // Move 300 seconds less, because the deletion of all expired items takes time.
  service.pass(400 * day - 300);
  expect(await listed()).toEqual([rows.expired, rows.revoked, rows.prolonged, rows.lasting]);
  service.pass(305);
  expect(await listed()).toEqual([rows.expired, rows.prolonged, rows.lasting]);
  service.pass(30 * day);
  expect(await listed()).toEqual([rows.prolonged, rows.lasting]);
  service.pass(335 * day);
  expect(await listed()).toEqual([rows.lasting]);
  await vi.waitFor(
    async () => {
      const left = JSON.stringify((await service.table.all()).filter(({ entity }) => entity !== 'audit_event'));
      for (const { key_id } of [expired, revoked, prolonged]) expect(left).not.toContain(key_id);
    },
    { timeout: 20_000, interval: 50 },
  );
  await service.exchange(lasting.key);
});
