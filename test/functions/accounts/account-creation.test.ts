import { describe, expect, test } from 'vitest';
import { startTestService, testService } from '../../service/test-service.ts';
import { account, made, signUpAdmin, signUpFounder } from '../users.ts';

const service = await testService();
const admin = await signUpAdmin(service);
const founder = await signUpFounder(service, admin, 'founder');

describe('a reserved ID', () => {
  test.each([
    ['of a URL', 'api', { user: 400, administrator: 400 }],
    ['that misleads', 'security', { user: 400, administrator: 201 }],
    ['that misleads, inside a longer one', 'security-data', { user: 201, administrator: 409 }],
  ])('%s (%s) answers %j', async (_, id, expected) => {
    const user = await service.user(`who wants ${id}`);
    const refused = await user('POST', '/accounts', account(id));
    const created = await admin('POST', '/accounts', account(id, 'organization'));
    expect({ user: refused.status, administrator: created.status }).toEqual(expected);
    if (expected.user !== 400) return;
    expect(refused.body).toMatchObject({ code: 'id_reserved', errors: [{ path: 'account_id' }] });
    expect(refused.body.detail).toMatch(/^The ID \S+ is reserved, since it .*; choose another/);
  });
});

test.each([
  ['too short', 'ab'],
  ['too long', 'a'.repeat(41)],
  ['in upper case', 'Ada'],
  ['with a hyphen at its start', '-ada'],
  ['with a hyphen at its end', 'ada-'],
  ['with two hyphens, as service accounts have', 'ada--sync'],
  ['with an underscore', 'ada_l'],
  ['with a letter that only looks right', 'аda'],
  ['with a line feed at its end', 'ada\n'],
])('refuses the ID %s', async (_, id) => {
  const answer = await (await service.user('newcomer'))('POST', '/accounts', account(id));
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'account_id' }] } });
});

test.each(['abc', 'a'.repeat(40), '0-1-2', 'a1b'])('accepts the ID %s unchanged', async (id) => {
  const answer = await (await service.user(`identity of ${id}`))('POST', '/accounts', account(id));
  expect(answer).toMatchObject({ status: 201, body: { account_id: id } });
});

describe('the rights to create an account', () => {
  test('require that a configured admin without an account creates a personal account first', async () => {
    const other = await startTestService({ adminIdentityIds: ['root'] });
    try {
      const root = await other.user('root');
      expect((await root('POST', '/accounts', account('org-of-root', 'organization'))).status).toBe(403);
      await made(root('POST', '/accounts', account('root')));
      expect((await root('POST', '/accounts', account('org-of-root', 'organization'))).status).toBe(201);
    } finally {
      await other.close();
    }
  });
});

describe('the identity of a new account', () => {
  test('is set by an admin, and the named user then signs in to the account', async () => {
    await made(admin('POST', '/accounts', { ...account('prepared'), identity_id: 'person-to-come' }));
    const user = await service.user('person-to-come');
    expect((await user('GET', '/whoami')).body.account).toMatchObject({ account_id: 'prepared' });
    const again = { ...account('prepared-again'), identity_id: 'person-to-come' };
    expect((await admin('POST', '/accounts', again)).status).toBe(409);
  });

  test('cannot be set by other callers, even to their own identity', async () => {
    const user = await service.user('self-namer');
    const answer = await user('POST', '/accounts', { ...account('self-namer'), identity_id: 'self-namer' });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'identity_id' }] } });
    expect(
      (await founder('POST', '/accounts', { ...account('for-other', 'organization'), identity_id: 'x' })).status,
    ).toBe(400);
  });
});
