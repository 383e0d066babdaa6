import { expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';

const service = await testService();

const userAccount = (account_id: string) => ({ account_id, account_type: 'user', profile: {} });

test('a person without an account creates one and sees it in the session', async () => {
  const ada = await service.person('ada');
  const created = await ada('POST', '/accounts', { ...userAccount('ada'), profile: { name: 'Ada' } });
  expect(created).toMatchObject({
    status: 201,
    body: {
      account_id: 'ada',
      account_type: 'user',
      identity_id: 'ada',
      disabled: false,
      profile: { name: 'Ada' },
      flags: [],
    },
  });
  expect(created.headers.get('location')).toBe('/api/v1/accounts/ada');
  expect(await ada('GET', '/whoami')).toMatchObject({
    status: 200,
    body: { identity_id: 'ada', account: { account_id: 'ada' }, memberships: [] },
  });
});

test('an account ID that is taken is refused and keeps its owner', async () => {
  const first = await service.person('first');
  const second = await service.person('second');
  await first('POST', '/accounts', userAccount('wanted'));
  expect(await second('POST', '/accounts', userAccount('wanted'))).toMatchObject({ status: 409 });
  expect((await first('GET', '/accounts/wanted')).body.identity_id).toBe('first');
  expect((await second('GET', '/whoami')).body.account).toBeNull();
});

test('an admin who makes an organization is its first owner', async () => {
  const admin = await service.person('admin');
  await admin('POST', '/accounts', userAccount('site-admin'));
  const created = await admin('POST', '/accounts', { account_id: 'tides', account_type: 'organization', profile: {} });
  expect(created.status).toBe(201);
  expect((await admin('GET', '/whoami')).body.memberships).toMatchObject([
    { account_id: 'site-admin', membership_account_id: 'tides', role: 'owners', state: 'member' },
  ]);
});
