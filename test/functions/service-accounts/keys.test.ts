import { beforeEach, describe, expect, test } from 'vitest';
import { isForConsumer, streamConsumers } from '../../../lib/domain/changes/stream-consumers.ts';
import {
  hashServiceAccountKey,
  isWellFormedServiceAccountKey,
} from '../../../lib/domain/service-accounts/service-account-key.ts';
import { inBatches, made } from '../users.ts';
import { day, keyRefused, type NewServiceAccount, serviceAccountFixture } from './fixture.ts';

const service = await serviceAccountFixture();
let account: NewServiceAccount;
beforeEach(async () => {
  account = await service.newServiceAccount();
});

const keysOf = async () => (await service.ada('GET', `${account.path}/keys`)).body;
const issue = (body: unknown) => service.ada('POST', `${account.path}/keys`, body);

describe('issuing a key', () => {
  test('returns the key once, and the table contains only its SHA-256', async () => {
    const issued = await issue({ label: 'build server', expiry: '30d' });
    expect(issued.status).toBe(201);
    expect(issued.headers.get('cache-control')).toBe('no-store');
    const { key, ...shown } = issued.body;
    expect(isWellFormedServiceAccountKey(key)).toBe(true);
    expect(shown).toMatchObject({
      label: 'build server',
      state: 'active',
      last_used_at: null,
      newer_key_in_use: false,
    });
    expect(await keysOf()).toEqual([shown]);

    await service.exchange(key);
    const items = await service.table.all();
    expect(JSON.stringify(items)).not.toContain(key.slice(4, 34));
    expect(items.filter((item) => item['key_hash'] === hashServiceAccountKey(key)).length).toBeGreaterThan(0);
    expect(JSON.stringify(service.logged)).not.toContain(key.slice(4, 34));
  });

  test.each([
    ['30d', 30],
    ['90d', 90],
    ['1y', 365],
  ])('sets an expiry of %s %i days ahead', async (expiry, days) => {
    const { body } = await issue({ label: 'a key', expiry });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(days * day * 1000);
  });

  test('accepts a key without an expiry', async () => {
    expect((await issue({ label: 'a key', expiry: 'never' })).body.expires_at).toBeNull();
  });

  test.each<[string, unknown, string]>([
    ['no label', { expiry: '30d' }, 'label'],
    ['an empty label', { label: '', expiry: '30d' }, 'label'],
    ['a label of 65 characters', { label: 'é'.repeat(65), expiry: '30d' }, 'label'],
    ['no expiry', { label: 'a key' }, 'expiry'],
    ['an expiry outside the choices', { label: 'a key', expiry: '31d' }, 'expiry'],
    ['a date as expiry', { label: 'a key', expiry: '2030-01-01T00:00:00Z' }, 'expiry'],
  ])('refuses %s', async (_, body, path) => {
    expect(await issue(body)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect(await keysOf()).toEqual([]);
  });

  test('accepts a label of 64 visible characters', async () => {
    expect((await issue({ label: '🌊'.repeat(64), expiry: '30d' })).status).toBe(201);
  });

  test('is refused for a disabled service account', async () => {
    await made(service.ada('POST', `${account.path}/disable`));
    expect(await issue({ label: 'a key', expiry: '30d' })).toMatchObject({
      status: 409,
      body: { detail: 'The service account is disabled; enable it before you issue a key' },
    });
    expect(await keysOf()).toEqual([]);
  });

  test('returns a different key to each of many concurrent requests, and all sign in', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => issue({ label: `key ${index}`, expiry: '30d' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(new Set(answers.map(({ body }) => body.key)).size).toBe(6);
    for (const { body } of answers) await service.exchange(body.key);
    expect(await keysOf()).toHaveLength(6);
  });
});

test('a service account has at most 50 unrevoked keys, also with concurrent requests', async () => {
  await inBatches(46, 4, async () => void (await account.issueKey('never')));
  const racing = await Promise.all(Array.from({ length: 10 }, () => issue({ label: 'racing', expiry: 'never' })));
  expect(racing.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, ...Array(6).fill(409)]);
  expect(await keysOf()).toHaveLength(50);
  const refused = await issue({ label: 'one more', expiry: '30d' });
  expect(refused.body.detail).toBe('A service account has at most 50 keys that are not revoked; revoke one first');

  const [oldest] = await keysOf();
  await made(service.ada('DELETE', `${account.path}/keys/${oldest.key_id}`));
  expect((await issue({ label: 'room again', expiry: '30d' })).status).toBe(201);
  expect((await issue({ label: 'and full again', expiry: '30d' })).status).toBe(409);
}, 60_000);

test('an expired key counts among the 50 until it is revoked', async () => {
  await inBatches(50, 4, async () => void (await account.issueKey('30d')));
  service.pass(31 * day);
  expect((await issue({ label: 'one more', expiry: '30d' })).status).toBe(409);
  expect((await keysOf()).every(({ state }: { state: string }) => state === 'expired')).toBe(true);
}, 60_000);

describe('changing the expiry', () => {
  const change = (keyId: string, expiry: unknown) =>
    service.ada('PUT', `${account.path}/keys/${keyId}/expiry`, { expiry });

  test.each<[string, string, string, number | null]>([
    ['later', '30d', '1y', 365],
    ['sooner', '1y', '30d', 30],
    ['to never', '30d', 'never', null],
    ['from never', 'never', '90d', 90],
  ])('sets %s from now', async (_, from, to, days) => {
    const { key_id } = await account.issueKey(from);
    service.pass(5 * day);
    const before = Date.now();
    const { status, body } = await change(key_id, to);
    expect(status).toBe(200);
    if (days === null) expect(body.expires_at).toBeNull();
    else {
      const { created_at, expires_at } = body;
      const sinceIssue = (Date.parse(expires_at) - Date.parse(created_at)) / 1000 - (days + 5) * day;
      expect(sinceIssue).toBeGreaterThanOrEqual(0);
      expect(sinceIssue).toBeLessThan((Date.now() - before) / 1000 + 30);
    }
    expect(await keysOf()).toEqual([body]);
  });

  test('never makes a revoked key valid again', async () => {
    const { key, key_id } = await account.issueKey();
    await made(service.ada('DELETE', `${account.path}/keys/${key_id}`));
    expect(await change(key_id, 'never')).toMatchObject({
      status: 409,
      body: { detail: 'The key is revoked permanently; issue another' },
    });
    await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
    expect(await keysOf()).toMatchObject([{ state: 'revoked' }]);
  });

  test('leaves the key revoked when a revocation runs at the same time', async () => {
    await inBatches(20, 5, async () => {
      const { key_id } = await account.issueKey();
      await Promise.all([change(key_id, 'never'), service.ada('DELETE', `${account.path}/keys/${key_id}`)]);
      const key = (await keysOf()).find((each: { key_id: string }) => each.key_id === key_id);
      expect(key.state).toBe('revoked');
    });
  });

  test('answers 404 for a key of another service account', async () => {
    const { key_id } = await (await service.newServiceAccount()).issueKey();
    expect((await change(key_id, '30d')).status).toBe(404);
    expect((await service.ada('DELETE', `${account.path}/keys/${key_id}`)).status).toBe(404);
  });
});

describe('the last use of a key', () => {
  test('is recorded at an exchange, at most once a minute', async () => {
    const { key } = await account.issueKey();
    const lastUse = async () => (await keysOf())[0].last_used_at;
    await service.exchange(key);
    const first = await lastUse();
    expect(first).toMatch(/^\d{4}-/);
    service.pass(30);
    service.tableRequests.length = 0;
    await service.exchange(key);
    expect(service.tableRequests).not.toContain('UpdateItemCommand');
    expect(await lastUse()).toBe(first);
    service.pass(31);
    await service.exchange(key);
    expect(Date.parse(await lastUse()) - Date.parse(first)).toBeGreaterThanOrEqual(60_000);
  });

  test('is stored beside the key, so that it triggers no stream consumer', async () => {
    const { key } = await account.issueKey();
    const items = async () =>
      (await service.table.all()).filter(({ service_account_uid }) => service_account_uid === account.uid);
    const before = await items();
    await service.exchange(key);
    expect(await items()).toEqual(before);
    const uses = (await service.table.all()).filter(({ entity }) => entity === 'service_account_key_use');
    expect(uses.map(({ pk }) => String(pk).split('#')[1])).toContain(before[0]?.['key_hash']);
    expect(Object.values(streamConsumers).some((consumer) => isForConsumer(consumer, 'service_account_key_use'))).toBe(
      false,
    );
  });

  test('is not recorded for a refused exchange', async () => {
    const { key, key_id } = await account.issueKey();
    await made(service.ada('DELETE', `${account.path}/keys/${key_id}`));
    await expect(service.exchange(key)).rejects.toMatchObject(keyRefused);
    expect(await keysOf()).toMatchObject([{ last_used_at: null }]);
  });
});

test('the list shows for each key whether a newer one is in use, oldest first', async () => {
  const old = await account.issueKey();
  await service.exchange(old.key);
  const fresh = await account.issueKey();
  const inUse = async () =>
    (await keysOf()).map((key: { key_id: string; newer_key_in_use: boolean }) => [key.key_id, key.newer_key_in_use]);
  expect(await inUse()).toEqual([
    [old.key_id, false],
    [fresh.key_id, false],
  ]);
  await service.exchange(fresh.key);
  expect(await inUse()).toEqual([
    [old.key_id, true],
    [fresh.key_id, false],
  ]);
  await made(service.ada('DELETE', `${account.path}/keys/${fresh.key_id}`));
  expect((await inUse())[0]).toEqual([old.key_id, false]);
});

test('the list of keys includes revoked ones in its pages', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.push((await account.issueKey()).key_id);
  await made(service.ada('DELETE', `${account.path}/keys/${ids[2]}`));
  const seen: string[] = [];
  let url: string | undefined = `${account.path}/keys?limit=2`;
  for (let pages = 0; url !== undefined && pages < 5; pages += 1) {
    const { body, headers } = await service.ada('GET', url);
    seen.push(...body.map(({ key_id }: { key_id: string }) => key_id));
    url = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(ids);
});
