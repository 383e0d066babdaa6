import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { account, addMember, made, repository, signUp, signUpTides } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
const { admin, ada } = await signUpTides(service);
await made(ada('POST', '/repositories/tides', repository('gauges')));
const maintainer = await signUp(service, 'maintainer');
await addMember(ada, 'tides', maintainer, 'maintainer', 'maintainers');
const reader = await signUp(service, 'reader');
await addMember(ada, 'tides', reader, 'reader', 'read_data');
const stranger = await signUp(service, 'stranger');

const byAdmin = 'An administrator disabled this; ask one to enable it again';
const byOwner = 'Its owners or maintainers disabled it; ask one of them to enable it again';
const notYours = 'You are not allowed to do this; ask an owner of the account for access';
const told = async (answer: ReturnType<Client>) => {
  const { status, body } = await answer;
  return status === 403 ? body.detail : status;
};

describe('a repository', () => {
  const path = '/repositories/tides/gauges';
  const enable = (client: Client) => told(client('POST', `${path}/enable`));
  const disable = (client: Client) => made(client('POST', `${path}/disable`));
  beforeEach(async () => {
    // Moves the clock, because the limit is six reopenings an hour and each test needs several.
    service.advance(3600);
    await made(admin('POST', `${path}/enable`));
  });

  test('can be enabled by callers who may disable it and by an administrator after its own members disabled it', async () => {
    for (const enabler of [ada, maintainer, admin]) {
      await disable(maintainer);
      expect([await enable(reader), await enable(stranger)]).toEqual([notYours, notYours]);
      expect(await enable(enabler)).toBe(200);
      expect((await ada('GET', path)).body.disabled).toBe(false);
    }
  });

  test('can be enabled only by an administrator after one disabled it, and only its members see this reason', async () => {
    await disable(admin);
    expect([await enable(ada), await enable(maintainer)]).toEqual([byAdmin, byAdmin]);
    expect([await enable(reader), await enable(stranger)]).toEqual([notYours, notYours]);
    await disable(ada);
    expect(await enable(ada)).toBe(byAdmin);
    expect(await enable(admin)).toBe(200);
  });

  test('can be enabled only by an administrator after its owner and then an administrator disabled it', async () => {
    await disable(ada);
    await disable(admin);
    expect(await enable(ada)).toBe(byAdmin);
    expect(await enable(admin)).toBe(200);
    await disable(ada);
    expect(await enable(ada)).toBe(200);
  });

  test('stays disabled by the administrator when its owner disables it at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [owned, platform] = await Promise.all([ada('POST', `${path}/disable`), admin('POST', `${path}/disable`)]);
      expect([200, 409]).toContain(owned.status);
      if (platform.status === 409) await disable(admin);
      expect(await enable(ada)).toBe(byAdmin);
      expect(await enable(admin)).toBe(200);
    }
  });

  test('stays disabled when an administrator disables it while its owner enables it', async () => {
    for (let round = 0; round < 10; round += 1) {
      await disable(ada);
      const [, platform] = await Promise.all([ada('POST', `${path}/enable`), admin('POST', `${path}/disable`)]);
      if (platform.status === 409) await disable(admin);
      expect((await ada('GET', path)).body.disabled).toBe(true);
      expect(await enable(ada)).toBe(byAdmin);
      expect(await enable(admin)).toBe(200);
    }
  });

  test('shows the role of its disabler, the time, and the reason, until it is enabled', async () => {
    const reason = 'It contains names of patients';
    const { body } = await made(admin('POST', `${path}/disable`, { reason: ` ${reason} ` }));
    const shown = { disabled: true, disabled_by: 'admin', disabled_at: body.updated, disabled_reason: reason };
    expect(body).toMatchObject(shown);
    // A request of the owner, or a request without a reason, does not change the disabled state.
    for (const client of [ada, admin]) expect((await disable(client)).body).toMatchObject(shown);
    expect((await ada('GET', path)).body).toMatchObject(shown);
    const other = await made(admin('POST', `${path}/disable`, { reason: 'Another one' }));
    expect(other.body).toMatchObject({ ...shown, disabled_reason: 'Another one', disabled_at: expect.any(String) });
    const enabled = await made(admin('POST', `${path}/enable`));
    for (const name of ['disabled_by', 'disabled_at', 'disabled_reason']) expect(enabled.body).not.toHaveProperty(name);
    expect((await ada('GET', path)).body).toEqual(enabled.body);
  });

  test.each([
    ['too long', { reason: 'x'.repeat(501) }],
    ['no text', { reason: 1 }],
    ['an unknown field', { because: 'x' }],
  ])('refuses %s as the reason', async (_, body) => {
    expect((await ada('POST', `${path}/disable`, body)).status).toBe(400);
    expect((await ada('GET', path)).body.disabled).toBe(false);
  });

  test('shows who disabled it and the reason in the audit trail of its owners', async () => {
    await made(admin('POST', `${path}/disable`, { reason: 'It contains names' }));
    const { body: events } = await made(ada('GET', '/accounts/tides/audit-events?kind=repository.disabled&limit=1'));
    expect(events).toMatchObject([
      {
        actor: { account_id: 'site-admin', acting_as: 'platform_admin' },
        subject: { repository_id: 'gauges', disabled_by: 'admin', reason: 'It contains names' },
      },
    ]);
  });
});

describe('an organization', () => {
  const path = '/accounts/tides';
  const enable = (client: Client) => told(client('POST', `${path}/enable`));
  beforeEach(() => service.advance(3600));

  test('can be enabled by its owners and maintainers, but by no administrator, after its own members disabled it', async () => {
    for (const enabler of [ada, maintainer]) {
      await made(ada('POST', `${path}/disable`));
      expect(await enable(admin)).toBe(byOwner);
      expect([await enable(reader), await enable(stranger)]).toEqual([notYours, notYours]);
      expect(await enable(enabler)).toBe(200);
      expect((await ada('GET', path)).body.disabled).toBe(false);
    }
  });

  test('can be disabled and enabled by an owner who is also an administrator', async () => {
    await made(admin('POST', '/accounts', account('reefs', 'organization')));
    await made(admin('POST', '/accounts/reefs/disable'));
    expect((await table.find('ACCOUNT#reefs', 'ACCOUNT'))?.['disabled_by']).toBe('owner');
    expect((await admin('POST', '/accounts/reefs/enable')).status).toBe(200);
  });
});

test('administrators disable and enable user accounts, whose users see the reason in their session', async () => {
  await made(admin('POST', '/accounts/stranger/disable', { reason: 'Spam' }));
  expect((await made(stranger('GET', '/whoami'))).body.account).toMatchObject({
    disabled_by: 'admin',
    disabled_reason: 'Spam',
  });
  expect(await told(stranger('POST', '/accounts/stranger/enable'))).toBe(
    'This account is disabled; ask an administrator to enable it again',
  );
  expect(await told(admin('POST', '/accounts/stranger/enable'))).toBe(200);
});
