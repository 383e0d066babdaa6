import { describe, expect, test } from 'vitest';
import { signUp } from '../../functions/users.ts';
import { testService } from '../../service/test-service.ts';

const service = await testService();
const owner = await signUp(service, 'owner');

const key = (name: string) => ({ 'idempotency-key': name });
const serviceAccounts = '/accounts/owner/service-accounts';

describe('a create with an Idempotency-Key', () => {
  test('runs once, and a retry gets the same answer with its Location', async () => {
    const first = await owner('POST', serviceAccounts, { name: 'once' }, key('k1'));
    const again = await owner('POST', serviceAccounts, { name: 'once' }, key('k1'));
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
  });

  test('is refused with 422 when the key was used for another body or another operation', async () => {
    await owner('POST', serviceAccounts, { name: 'second' }, key('k2'));
    expect((await owner('POST', serviceAccounts, { name: 'other' }, key('k2'))).status).toBe(422);
    const account = { account_id: 'owner2', account_type: 'user', profile: {} };
    const admin = await service.user('admin');
    await admin('POST', '/accounts', { ...account, account_id: 'site-admin' });
    await admin('POST', '/accounts', { ...account, identity_id: 'someone' }, key('k2b'));
    expect((await admin('POST', '/accounts', { ...account, account_id: 'owner3' }, key('k2b'))).status).toBe(422);
  });

  test('is refused with 422 when the key was used for the same body at another path', async () => {
    for (const [name, status] of [
      ['one-path', 201],
      ['another-path', 422],
    ] as const) {
      await owner('POST', serviceAccounts, { name });
      const answer = await owner(
        'POST',
        `/service-accounts/owner--${name}/keys`,
        { label: 'ci', expiry: '30d' },
        key('k2c'),
      );
      expect(answer.status).toBe(status);
    }
  });

  test('shares no key with another caller', async () => {
    const other = await signUp(service, 'other');
    await owner('POST', serviceAccounts, { name: 'mine' }, key('k3'));
    expect((await other('POST', '/accounts/other/service-accounts', { name: 'mine' }, key('k3'))).status).toBe(201);
  });

  test('that creates a secret returns it once, and the retry names the created key', async () => {
    await owner('POST', serviceAccounts, { name: 'with-key' });
    const keys = '/service-accounts/owner--with-key/keys';
    const first = await owner('POST', keys, { label: 'ci', expiry: '30d' }, key('k4'));
    const again = await owner('POST', keys, { label: 'ci', expiry: '30d' }, key('k4'));
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain(first.body.key_id);
    expect(again.body.made_id).toBe(first.body.key_id);
    expect(JSON.stringify(again.body)).not.toContain(first.body.key);
  });

  test('that created the account of the caller gets the same answer in a retry', async () => {
    const newcomer = await service.user('newcomer');
    const account = { account_id: 'newcomer', account_type: 'user', profile: {} };
    const first = await newcomer('POST', '/accounts', account, key('k5'));
    expect(await newcomer('POST', '/accounts', account, key('k5'))).toMatchObject({ status: 201, body: first.body });
    expect((await newcomer('POST', '/accounts', account, key('k6'))).status).toBe(403);
    expect((await newcomer('POST', '/accounts', { ...account, account_id: 'second' }, key('k5'))).status).toBe(403);
  });

  test('that was refused releases its key', async () => {
    await owner('POST', serviceAccounts, { name: 'taken' });
    expect((await owner('POST', serviceAccounts, { name: 'taken' }, key('k7'))).status).toBe(409);
    expect((await owner('POST', serviceAccounts, { name: 'free' }, key('k7'))).status).toBe(201);
  });

  test('is stored for a day', async () => {
    await owner('POST', serviceAccounts, { name: 'daily' }, key('k8'));
    service.advance(23 * 3600);
    expect((await owner('POST', serviceAccounts, { name: 'daily' }, key('k8'))).status).toBe(201);
    service.advance(2 * 3600);
    expect((await owner('POST', serviceAccounts, { name: 'daily' }, key('k8'))).status).toBe(409);
  });

  test('sent twelve times at once creates one resource', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => owner('POST', serviceAccounts, { name: 'racing' }, key('k9'))),
    );
    const statuses = answers.map(({ status, body }) => `${status} ${body.detail ?? ''}`);
    expect(statuses.filter((status) => status.startsWith('201')).length).toBeGreaterThan(0);
    expect(statuses.every((status) => /^201|still running/.test(status))).toBe(true);
  });

  test('must be visible ASCII of at most 255 characters', async () => {
    for (const bad of ['with space', 'x'.repeat(256)]) {
      const answer = await owner('POST', serviceAccounts, { name: 'bad-key' }, key(bad));
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'Idempotency-Key' }] } });
    }
  });
});
