import { expect, test } from 'vitest';
import { keys } from '../../../lib/store/keys.ts';
import { testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { createOrganization, made, signUp, signUpAdmin, signUpFounder } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
const ada = await signUpFounder(service, await signUpAdmin(service), 'ada');
const grace = await signUp(service, 'grace');
await createOrganization(ada, 'tides');

const blocked = '/accounts/grace/blocked-accounts';

test('a user blocks, lists, and unblocks accounts, and the audit trail records it', async () => {
  expect((await grace('PUT', `${blocked}/tides`)).status).toBe(201);
  const again = await grace('PUT', `${blocked}/tides`);
  expect([again.status, (await grace('GET', blocked)).body]).toEqual([200, [{ ...again.body, account_name: null }]]);
  expect((await grace('DELETE', `${blocked}/tides`)).status).toBe(204);
  expect((await grace('DELETE', `${blocked}/tides`)).status).toBe(404);
  const kinds = (await grace('GET', '/accounts/grace/audit-events')).body.map(({ kind }: { kind: string }) => kind);
  expect(kinds.slice(0, 2)).toEqual(['account.unblocked', 'account.blocked']);
});

test.each(['grace', 'nobody-at-all'])('%s cannot be blocked', async (id) => {
  expect((await grace('PUT', `${blocked}/${id}`)).status).toBe(400);
});

test('shows blocked accounts to no other caller', async () => {
  await made(grace('PUT', `${blocked}/tides`));
  expect((await ada('GET', blocked)).status).toBe(403);
  await made(grace('DELETE', `${blocked}/tides`));
});

test('a user blocks at most 1,000 accounts', async () => {
  await table.putAll([{ ...keys.blockedCount('grace'), entity: 'blocked_count', blocked_count: 999 }]);
  expect((await grace('PUT', `${blocked}/tides`)).status).toBe(201);
  const refused = await grace('PUT', `${blocked}/ada`);
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('at most 1000 accounts')]);
  await made(grace('DELETE', `${blocked}/tides`));
  expect((await grace('PUT', `${blocked}/ada`)).status).toBe(201);
});
