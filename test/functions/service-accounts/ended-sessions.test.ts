import { beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import type { Client } from '../../service/test-service.ts';
import { invite, made } from '../users.ts';
import {
  ciRepository,
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

const revoke = (keyId: string, query = '') => service.ada('DELETE', `${account.path}/keys/${keyId}${query}`);
const change = (settings: object) => made(service.ada('PATCH', `${account.path}/settings`, settings));
const signIn = async () => {
  const { key, key_id } = await account.issueKey();
  return { key, key_id, credentials: await service.exchange(key) };
};
const trust = async (branch: string): Promise<string> =>
  (await made(service.ada('POST', `${account.path}/trusted-workflows`, { repository: ciRepository, branch }))).body
    .workflow_id;
const runSignsIn = async (branch: string) =>
  service.exchange(await service.runOn(branch), { serviceAccountId: account.id });
/** Moves the clock past the TTL of authorization data. */
const expectRefused = async (credentials: Parameters<typeof service.write>[0]) => {
  service.pass(61);
  await expect(service.write(credentials)).rejects.toMatchObject(objectRefused);
};

test('ends the sessions of the key, and no sessions of other keys', async () => {
  const [ended, sibling] = [await signIn(), await signIn()];
  await service.write(ended.credentials);
  expect((await revoke(ended.key_id, '?end_sessions=true')).body).toMatchObject({
    state: 'revoked',
    sessions_ended: 'source',
  });
  await expectRefused(ended.credentials);
  await service.write(sibling.credentials);
  service.pass(240);
  await expect(service.read(ended.credentials)).rejects.toMatchObject(objectRefused);
  expect((await revoke(sibling.key_id)).body).toMatchObject({ sessions_ended: 'none' });
  await service.write(sibling.credentials);
});

test('ends the sessions of a key that was revoked before, and refuses another value of the query parameter', async () => {
  const { key_id, credentials } = await signIn();
  await made(revoke(key_id));
  await service.write(credentials);
  expect((await revoke(key_id, '?end_sessions=false')).status).toBe(400);
  await made(revoke(key_id, '?end_sessions=true'));
  await expectRefused(credentials);
  const { body } = await service.ada('GET', `/accounts/${organization}/audit-events?kind=service_account_key.revoked`);
  expect(body.filter(({ subject }: { subject: { key_id: string } }) => subject.key_id === key_id)).toHaveLength(1);
});

test('ends the sessions of a removed workflow, and no session of a workflow that is trusted afterwards', async () => {
  const workflow = await trust('main');
  const credentials = await runSignsIn('main');
  await service.write(credentials);
  const removed = await service.ada('DELETE', `${account.path}/trusted-workflows/${workflow}?end_sessions=true`);
  expect(removed).toMatchObject({ status: 200, body: { workflow_id: workflow, sessions_ended: 'source' } });
  await trust('main');
  const later = await runSignsIn('main');
  await expectRefused(credentials);
  await service.write(later);
});

test('ends sessions of revoked, removed, and leaked sources without a query parameter if the setting is on', async () => {
  await change({ end_sessions_on_revocation: true });
  const [revoked, leaked, sibling] = [await signIn(), await signIn(), await signIn()];
  const workflow = await trust('main');
  const ofRun = await runSignsIn('main');
  await made(revoke(revoked.key_id));
  await made(service.ada('DELETE', `${account.path}/trusted-workflows/${workflow}`));
  expect(await service.anyone('POST', '/service-account-keys/revocations', { key: leaked.key })).toMatchObject({
    status: 204,
    body: undefined,
  });
  await vi.waitFor(async () => {
    const item = await service.table.find(`ACCOUNT#${account.id}`, 'ACCOUNT');
    expect(item?.['ended_sources']).toHaveLength(3);
  });
  await expectRefused(revoked.credentials);
  await expectRefused(leaked.credentials);
  await expectRefused(ofRun);
  await service.write(sibling.credentials);
  await vi.waitFor(async () => {
    const { body } = await service.ada(
      'GET',
      `/accounts/${organization}/audit-events?kind=service_account.sessions_ended&service_account_id=${account.id}`,
    );
    const ended = body.map(({ subject }: { subject: { source_id: string } }) => subject.source_id);
    expect(ended.sort()).toEqual([revoked.key_id, leaked.key_id, workflow].sort());
  });
});

test('keeps the sessions of a leaked key if the setting is off', async () => {
  const { key, credentials } = await signIn();
  await made(service.anyone('POST', '/service-account-keys/revocations', { key }));
  // The audit event of the leak comes through the same stream.
  await vi.waitFor(async () => {
    const { body } = await service.ada(
      'GET',
      `/accounts/${organization}/audit-events?service_account_id=${account.id}`,
    );
    expect(body).toContainEqual(expect.objectContaining({ kind: 'service_account_key.revoked_as_found' }));
  });
  service.pass(61);
  await service.write(credentials);
});

test('records concurrent ends of sessions for all keys', async () => {
  const signedIn = await Promise.all(Array.from({ length: 6 }, signIn));
  const answers = await Promise.all(signedIn.map(({ key_id }) => revoke(key_id, '?end_sessions=true')));
  expect(answers.map(({ body }) => body.sessions_ended)).toEqual(Array(6).fill('source'));
  for (const { credentials } of signedIn) await expectRefused(credentials);
});

test('warns at the limit, and then ends all sessions of the service account', async () => {
  const sources = Array.from({ length: limits.endedSourcesMax - 1 }, (_, index) => ({
    id: `key-${index}`,
    ended_at: new Date(service.services.clock()).toISOString(),
  }));
  const item = await service.table.find(`ACCOUNT#${account.id}`, 'ACCOUNT');
  await service.table.putAll([{ ...item, ended_sources: sources }]);
  const [last, next, other] = [await signIn(), await signIn(), await signIn()];
  const { body } = await revoke(last.key_id, '?end_sessions=true');
  expect(body).toMatchObject({ sessions_ended: 'source', warning: expect.stringContaining('150 keys and workflows') });
  await service.write(other.credentials);
  expect((await revoke(next.key_id, '?end_sessions=true')).body).toMatchObject({ sessions_ended: 'all' });
  await expectRefused(other.credentials);
  await expectRefused(last.credentials);
  await service.write(await service.exchange(other.key));
});

test('removes records of ended sources after 13 hours, when all their sessions have expired', async () => {
  const [first, second] = [await signIn(), await signIn()];
  await made(revoke(first.key_id, '?end_sessions=true'));
  service.pass(limits.endedSourceRetentionSeconds);
  await made(revoke(second.key_id, '?end_sessions=true'));
  const item = await service.table.find(`ACCOUNT#${account.id}`, 'ACCOUNT');
  expect(item?.['ended_sources']).toMatchObject([{ id: second.key_id }]);
});

test.each([['end_sessions_on_revocation'], ['federated_only']])(
  'allows an owner and no maintainer to change %s, and a maintainer to change the description',
  async (setting) => {
    const account_id = `maintainer-${setting.slice(0, 3)}`;
    const maintainer = await service.user(account_id);
    await made(maintainer('POST', '/accounts', { account_id, account_type: 'user', profile: {} }));
    const membership = await invite(service.ada, organization, account_id, 'maintainers');
    await made(maintainer('POST', `/memberships/${membership}/accept`));
    expect(await maintainer('PATCH', `${account.path}/settings`, { [setting]: true })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('ask an owner of the account') },
    });
    await made(maintainer('PATCH', account.path, { description: 'nightly' }));
    const hints = async (by: Client) => (await made(by('GET', account.path))).body.permissions;
    expect(await hints(maintainer)).not.toContain('updateServiceAccountSettings');
    expect(await hints(service.ada)).toContain('updateServiceAccountSettings');
    expect(await change({ [setting]: true })).toMatchObject({ body: { [setting]: true, description: 'nightly' } });
  },
);

test('refuses writes of key sessions and accepts those of workflow sessions in a federated-only service account', async () => {
  const { credentials } = await signIn();
  await trust('main');
  const ofRun = await runSignsIn('main');
  await service.write(credentials);
  await change({ federated_only: true });
  await expectRefused(credentials);
  await service.read(credentials);
  await service.write(ofRun);
  await change({ federated_only: false });
  service.pass(61);
  await service.write(credentials);
});

test('shows owners the repositories that sessions of a leaked key may write, unless the key never signed in', async () => {
  const used = await signIn();
  const unused = await account.issueKey();
  for (const { key } of [used, unused])
    await made(service.anyone('POST', '/service-account-keys/revocations', { key }));
  const { body } = await service.ada('GET', `${account.path}/keys`);
  const shown = (keyId: string) => body.find((key: { key_id: string }) => key.key_id === keyId);
  const leak = { reported_at: expect.any(String), url: null, has_more: false };
  expect(shown(used.key_id)).toMatchObject({
    last_used_at: expect.any(String),
    leak: { ...leak, writable_repositories: [privateRepository] },
  });
  expect(shown(unused.key_id)).toMatchObject({ last_used_at: null, leak: { ...leak, writable_repositories: [] } });
  const { key_id } = await account.issueKey();
  await made(revoke(key_id));
  expect((await service.ada('GET', `${account.path}/keys`)).body.at(-1)).not.toHaveProperty('leak');
});
