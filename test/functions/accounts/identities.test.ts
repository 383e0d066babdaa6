import { describe, expect, test } from 'vitest';
import { forThisTest, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { account, addMember, createOrganization, made, newKey, signUp, signUpAdmin, signUpFounder } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
const admin = await signUpAdmin(service);

test('treats the subjects of a new issuer as different users from the same subjects of the old issuer', async () => {
  const ada = await signUp(service, 'ada');
  const switched = await forThisTest({ tableName: table.tableName, userIssuer: 'http://other-people.localhost' });
  const namesake = await switched.user('ada');
  expect((await namesake('GET', '/whoami')).body).toEqual({ identity_id: 'ada', account: null, memberships: [] });
  expect((await namesake('GET', '/accounts/ada')).status).toBe(403);
  await made(namesake('POST', '/accounts', account('other-ada')));
  expect((await namesake('GET', '/whoami')).body.account.account_id).toBe('other-ada');
  expect((await ada('GET', '/whoami')).body.account.account_id).toBe('ada');
  // An administrator may name users of the configured issuer.
  const otherAdmin = await switched.user('admin');
  await made(otherAdmin('POST', '/accounts', account('other-admin')));
  await made(otherAdmin('POST', '/accounts', { ...account('prepared'), identity_id: 'ben' }));
  expect((await (await switched.user('ben'))('GET', '/whoami')).body.account).toMatchObject({
    account_id: 'prepared',
  });
  expect((await (await service.user('ben'))('GET', '/whoami')).body.account).toBeNull();
});

test("a retry with the idempotency key of another user of the same name does not return that user's answer", async () => {
  const user = await service.user('grace');
  const retried = { 'idempotency-key': 'sign-up' };
  await made(user('POST', '/accounts', account('grace'), retried));
  const switched = await forThisTest({ tableName: table.tableName, userIssuer: 'http://other-people.localhost' });
  const namesake = await switched.user('grace');
  expect((await namesake('POST', '/accounts', account('grace'), retried)).status).toBe(409);
});

describe('the identity of an organization', () => {
  test('is its own identity, and does not show its creator to keys and maintainers', async () => {
    const founder = await signUpFounder(service, admin, 'founder');
    await createOrganization(founder, 'tides');
    const maintainer = await signUp(service, 'maintainer');
    await addMember(founder, 'tides', maintainer, 'maintainer', 'maintainers');
    const { client: withKey } = await newKey(service, maintainer, '/accounts/tides');
    const identity_id = 'organization:tides';
    expect((await maintainer('GET', '/accounts/tides')).body).toMatchObject({ identity_id });
    expect((await withKey('GET', '/whoami')).body).toMatchObject({ identity_id, account: { identity_id } });
    const { pk: _, ...item } = (await table.find('ACCOUNT#tides', 'ACCOUNT')) ?? {};
    expect(JSON.stringify(item)).not.toContain('founder');
  });

  test('cannot be set by a caller', async () => {
    const named = { ...account('named', 'organization'), identity_id: 'somebody' };
    const answer = await admin('POST', '/accounts', named);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'identity_id' }] } });
  });
});

test('the key of a platform login does not show the administrator who created it', async () => {
  const { body } = await made(admin('POST', '/accounts', account('robot', 'service')));
  expect(body.identity_id).toBe('robot');
});
