import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Principal } from '../../../lib/domain/data/data-access.ts';
import { CachedDataAccess } from '../../../lib/edge/cached-data-access.ts';
import { DataAccessStore } from '../../../lib/store/data-access.ts';
import { keys } from '../../../lib/store/keys.ts';
import { TableRevocationFeed } from '../../../lib/store/revocation-feed.ts';
import { tableOfThisTest } from '../../service/table-of-this-test.ts';

const neverAsked = () => Promise.reject(new Error('no connection here is reached through a role'));

const path = { account_id: 'tide-institute', repository_id: 'raw-drafts' };
const principal: Principal = {
  kind: 'service_account',
  service_account_id: 'tide-institute--sync',
  service_account_uid: 'uid-1',
  times_disabled: 0,
  role: 'FullAccess',
  signed_in_by: { kind: 'key', id: 'key-1' },
};
const grantPartition = keys.grant('uid-1', '').pk;
const readRequest = ['BatchGetItemCommand'];
const look = 'QueryCommand';

async function warmInstance() {
  const { table, requests, failing, put } = await tableOfThisTest();
  // The time is not near the end of a minute, so one feed read needs only one request.
  let now = Date.UTC(2026, 10, 21, 10, 0, 45);
  const failures: unknown[] = [];
  const feed = new TableRevocationFeed(table);
  const access = new CachedDataAccess(
    new DataAccessStore(table),
    {
      secrets: { open: async () => ({ type: 's3_access_key', access_key_id: 'AK', secret_access_key: 'secret' }) },
      roles: neverAsked,
    },
    () => now,
    { feed, report: (failure) => failures.push(failure) },
  );
  const grant = (level: string) =>
    put({ ...keys.grant('uid-1', path.repository_id), repository_id: path.repository_id, access: level });
  await grant('read_write');
  return {
    access,
    failing,
    failures,
    grant,
    put,
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
    /** Appends a feed entry as the stream consumer does, with a clock that may differ. */
    tell: (partition: string, { clockOffsetSeconds = 0 } = {}) =>
      feed.append([partition], randomUUID(), now + clockOffsetSeconds * 1000),
    /** Returns the cached grant, and the table requests that the read caused. */
    async ask(ageMaxSeconds = 300, by = principal) {
      requests.length = 0;
      const { grant: held } = await access.readAccess(by, path, ageMaxSeconds);
      return { level: held?.access, requests: [...requests] };
    },
  };
}

test('a warm instance reads the feed once every ten seconds', async () => {
  const { ask, advance } = await warmInstance();
  expect(await ask()).toEqual({ level: 'read_write', requests: readRequest });
  advance(9.9);
  expect(await ask()).toEqual({ level: 'read_write', requests: [] });
  advance(0.1);
  expect(await ask()).toEqual({ level: 'read_write', requests: [look] });
  advance(9.9);
  expect(await ask()).toEqual({ level: 'read_write', requests: [] });
});

test('the instance reads data that the feed names again once', async () => {
  const { ask, advance, grant, tell } = await warmInstance();
  await ask();
  await grant('read');
  await tell(grantPartition);
  advance(9);
  expect((await ask()).level).toBe('read_write');
  advance(1);
  expect(await ask()).toEqual({ level: 'read', requests: [look, ...readRequest] });
  // The next feed reads still include this entry, because they overlap.
  advance(10);
  expect(await ask()).toMatchObject({ level: 'read', requests: expect.not.arrayContaining(readRequest) });
});

test.each([-25, 25])('accepts a feed entry of a clock %d seconds off', async (clockOffsetSeconds) => {
  const { ask, advance, grant, tell } = await warmInstance();
  await ask();
  advance(10);
  await ask();
  await grant('read');
  await tell(grantPartition, { clockOffsetSeconds });
  advance(10);
  const atOnce = (await ask()).level;
  // A writer whose clock is fast may put an entry into a minute that this instance has not read yet.
  advance(25);
  expect([atOnce, (await ask()).level]).toContain('read');
});

test('a feed read covers all minutes since the last one', async () => {
  const { ask, advance, grant, tell } = await warmInstance();
  await ask();
  await grant('read');
  await tell(grantPartition);
  advance(115);
  expect((await ask()).level).toBe('read');
});

test('the instance reads all data again after two minutes without a feed read', async () => {
  const { ask, advance, grant } = await warmInstance();
  await ask();
  await grant('read');
  advance(119);
  expect((await ask()).level).toBe('read_write');
  advance(121);
  expect((await ask()).level).toBe('read');
});

test('a failed feed read is reported and refuses no request within the TTL', async () => {
  const { ask, advance, failing, failures, grant } = await warmInstance();
  await ask();
  await grant('read');
  failing.add(look);
  advance(50);
  expect(await ask(60)).toEqual({ level: 'read_write', requests: [look, look] });
  expect(failures).toHaveLength(1);
  advance(9);
  expect(await ask(60)).toEqual({ level: 'read_write', requests: [] });
  advance(2);
  expect((await ask(60)).level).toBe('read');
});

test('the instance reads all data again after the feed was unreadable for more than two minutes', async () => {
  const { ask, advance, failing, grant } = await warmInstance();
  await ask();
  failing.add(look);
  advance(130);
  expect((await ask()).level).toBe('read_write');
  await grant('read');
  failing.clear();
  advance(10);
  expect((await ask()).level).toBe('read');
});

test('the instance decrypts credentials of a connection again after five minutes, also without a feed', async () => {
  const { table, put } = await tableOfThisTest();
  let now = 0;
  let opened = 0;
  const open = async () => {
    opened += 1;
    return { type: 's3_access_key' as const, access_key_id: `AK${opened}`, secret_access_key: 'secret' };
  };
  const secretsAndRoles = { secrets: { open }, roles: neverAsked };
  const access = new CachedDataAccess(new DataAccessStore(table), secretsAndRoles, () => now);
  await put({
    ...keys.dataConnection('main-store'),
    data_connection_id: 'main-store',
    uid: 'uid-of-main-store',
    name: 'Main',
    read_only: false,
    allowed_data_modes: ['private'],
    details: { provider: 's3', bucket: 'bucket', base_prefix: '', region: 'eu-west-1' },
    created_at: '2026-01-01T00:00:00.000Z',
    in_use: true,
    version: 1,
    sealed_authentication: 'sealed',
  });
  const keyAt = async (seconds: number) => {
    now = seconds * 1000;
    return (await access.readConnectionCredentials({ data_connection_id: 'main-store' })).credentials?.access_key_id;
  };
  expect([await keyAt(0), await keyAt(1), await keyAt(300), await keyAt(301)]).toEqual(['AK1', 'AK1', 'AK1', 'AK2']);
});
