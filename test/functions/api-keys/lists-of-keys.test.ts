import { beforeEach, describe, expect, test } from 'vitest';
import { expiryMarkerEntity } from '../../../lib/domain/service-accounts/key-expiry.ts';
import { hashServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { keys, listPosition, lists } from '../../../lib/store/keys.ts';
import { testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { connection, createOrganization, made, repository, signUpAdmin, signUpFounder } from '../users.ts';

const table = lookAtTable();
let organization = 0;
let id: string;
const service = await testService({ tableName: table.tableName });
const admin = await signUpAdmin(service);
const ada = await signUpFounder(service, admin, 'ada');
await made(admin('POST', '/data-connections', connection('store-one')));
beforeEach(async () => {
  organization += 1;
  id = `tides-${organization}`;
  await createOrganization(ada, id);
});

const at = (seconds: number) => new Date(service.services.clock() + seconds * 1000).toISOString();
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const nameOf = (index: number) =>
  `SCAK${'A'.repeat(13)}${[1024, 32, 1].map((unit) => base32[Math.floor(index / unit) % 32]).join('')}`;
/** Returns keys as stored, oldest first. All except the last `live` keys are revoked. */
const stored = async (scope: string, count: number, live: number) => {
  const [account_id, repository_id] = scope.split('/');
  const repository_uid = (await table.find(`REPOSITORY#${scope}`, 'REPOSITORY'))?.['uid'];
  return Array.from({ length: count }, (_, index) => {
    const access_key_id = nameOf(index);
    const created_at = new Date(Date.UTC(2029, 0, 1, 0, 0, index)).toISOString();
    return {
      ...keys.apiKey(access_key_id),
      ...{ list_pk: lists.apiKeys(scope), list_sk: listPosition(created_at, access_key_id) },
      ...{
        entity: 'api_key',
        access_key_id,
        account_id,
        repository_id,
        repository_uid,
        name: 'k',
        secret_version: 1,
        secret_hash: '',
        created_at,
      },
      ...{ disabled: index < count - live, expires: '2090-01-01T00:00:00.000Z' },
    };
  });
};
const create = (path: string) => ada('POST', `${path}/api-keys`, { name: 'one more', expires: at(3600) });

describe.each(['an account', 'a repository'])('the keys of %s', (what) => {
  let path: string;
  let scope: string;
  beforeEach(async () => {
    scope = what === 'an account' ? id : `${id}/gauges`;
    path = what === 'an account' ? `/accounts/${id}` : `/repositories/${scope}`;
    if (what === 'a repository') await made(ada('POST', `/repositories/${id}`, repository('gauges')));
  });

  test('are at most 200 unexpired ones, also after concurrent requests, and each expired key frees a slot', async () => {
    await table.putAll(await stored(scope, 198, 198));
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.detail).toContain('at most 200 API keys that are neither revoked nor expired');
    await made(ada('DELETE', `/api-keys/${nameOf(7)}`));
    await made(create(path));
    expect((await create(path)).status).toBe(409);
    service.advance(3601);
    await made(create(path));
  });

  test('are at most 500 in all, and a rotation removes the oldest revoked or expired ones', async () => {
    await table.putAll(await stored(scope, 500, 3));
    await made(create(path));
    const listed = (await ada('GET', `${path}/api-keys`)).body;
    expect(listed).toHaveLength(500);
    const ids = listed.map(({ access_key_id }: { access_key_id: string }) => access_key_id);
    expect(ids).not.toContain(nameOf(0));
    expect(ids).toContain(nameOf(1));
    // A list above its maximum length becomes shorter with each new key.
    await table.putAll(await stored(scope, 530, 3));
    await made(create(path));
    expect((await ada('GET', `${path}/api-keys`)).body.length).toBeLessThanOrEqual(512);
  });

  test('are counted without the listing index, which can be stale', async () => {
    await table.putAll(await stored(scope, 199, 199));
    const { body } = await made(create(path));
    // The index does not contain the new key yet.
    const item = await table.find(`API_KEY#${body.access_key_id}`, 'API_KEY');
    const { list_pk, list_sk, ...unlisted } = item ?? {};
    await table.putAll([unlisted]);
    expect((await create(path)).status).toBe(409);
  });
});

describe('a key that was removed from a full list', () => {
  const report = (found: object) => service.anyone('POST', '/service-account-keys/revocations', found);
  /**
   * Returns the items that a report could create: those of the key, and messages to the account. The stream consumer
   * changes a key's expiry markers at any time, so they are excluded.
   */
  const traces = async (...owned: string[]) =>
    (await table.all()).filter(
      ({ pk, entity }) => entity !== expiryMarkerEntity && owned.some((one) => String(pk).includes(one)),
    );

  test('has no effect when it is reported as leaked, and the answer is 204', async () => {
    const { access_key_id, secret_access_key } = (await made(create(`/accounts/${id}`))).body;
    await made(ada('DELETE', `/api-keys/${access_key_id}`));
    await table.putAll(await stored(id, 500, 3));
    await made(create(`/accounts/${id}`));
    expect(await table.find(`API_KEY#${access_key_id}`, 'API_KEY')).toBeUndefined();
    const before = await traces(`AUDIT#${id}`, access_key_id);
    expect(before.map(({ kind }) => kind)).toContain('api_key.revoked');
    const answer = await report({ access_key_id, secret_access_key });
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect(await traces(`AUDIT#${id}`, access_key_id)).toEqual(before);
  });

  test('has no effect when it belonged to a service account', async () => {
    await made(ada('POST', `/accounts/${id}/service-accounts`, { name: 'sync' }));
    const path = `/service-accounts/${id}--sync/keys`;
    const { key, key_id } = (await made(ada('POST', path, { label: 'old', expiry: '30d' }))).body;
    await made(ada('DELETE', `${path}/${key_id}`));
    const uid = String((await table.find(`ACCOUNT#${id}--sync`, 'ACCOUNT'))?.['uid']);
    await table.putAll(Array.from({ length: 500 }, (_, index) => revokedKeyItems(uid, index)).flat());
    await made(ada('POST', path, { label: 'new', expiry: '30d' }));
    const { pk, sk } = keys.serviceKeyPointer(uid, key_id);
    expect(await table.find(pk, sk)).toBeUndefined();
    const keyHash = keys.serviceKey(hashServiceAccountKey(key)).pk;
    const before = await traces(`AUDIT#${id}`, keyHash);
    expect(before.filter((item) => item['pk'] === keyHash)).toEqual([]);
    const answer = await report({ key });
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect(await traces(`AUDIT#${id}`, keyHash)).toEqual(before);
  });
});

/** Returns a key of the service account as stored, revoked at its creation by default. */
function revokedKeyItems(uid: string, index: number, isLive = false): object[] {
  const created_at = new Date(Date.UTC(2029, 0, 1, 0, 0, index)).toISOString();
  const { key_id, key_hash } = keyNumber(index);
  const record = { service_account_id: `${id}--sync`, service_account_uid: uid, label: 'k', last_used_at: null };
  return [
    {
      ...keys.serviceKey(key_hash),
      ...{ ...record, key_id, key_hash, entity: 'service_account_key', created_at },
      ...{ expires_at: null, revoked_at: isLive ? null : created_at },
    },
    { ...keys.serviceKeyPointer(uid, key_id), key_id, key_hash, entity: 'service_account_key_pointer' },
  ];
}
const keyNumber = (index: number) => ({
  key_id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  key_hash: `${id}-${index}`,
});

describe('the keys of a service account', () => {
  test('are at most 500 in all, and a new key removes the oldest revoked or expired ones with their index items', async () => {
    await made(ada('POST', `/accounts/${id}/service-accounts`, { name: 'sync' }));
    const path = `/service-accounts/${id}--sync/keys`;
    const uid = String((await table.find(`ACCOUNT#${id}--sync`, 'ACCOUNT'))?.['uid']);
    const dead = Array.from({ length: 500 }, (_, index) => revokedKeyItems(uid, index, index === 499));
    await table.putAll(dead.flat());
    const issued = await made(ada('POST', path, { label: 'new', expiry: '30d' }));
    const ids = (await ada('GET', path)).body.map(({ key_id }: { key_id: string }) => key_id);
    expect(ids).toHaveLength(500);
    expect(ids).not.toContain(keyNumber(0).key_id);
    expect(ids).toEqual(expect.arrayContaining([keyNumber(1).key_id, keyNumber(499).key_id, issued.body.key_id]));
    const { pk, sk } = keys.serviceKeyPointer(uid, keyNumber(0).key_id);
    expect(await table.find(pk, sk)).toBeUndefined();
  });
});
