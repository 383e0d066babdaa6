import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import type { FoundMatches } from '../../../lib/domain/service-accounts/exchange-store.ts';
import type {
  ServiceAccountKeyRecord,
  ServiceAccountRecord,
} from '../../../lib/domain/service-accounts/service-accounts.ts';
import type { PinnedIds, TrustedWorkflowRecord } from '../../../lib/domain/service-accounts/trusted-workflows.ts';
import { TableExchangeStore } from '../../../lib/store/exchange.ts';
import { matchKeyOf } from '../../../lib/store/keys.ts';
import { auditEvent, madeRepository, now, openStore, outcomeOf } from './open-store.ts';

/** Service account data that a request has read may be stale when the request writes. */

let opened: Awaited<ReturnType<typeof openStore>>;
let exchange: TableExchangeStore;
beforeAll(async () => {
  opened = await openStore();
  exchange = new TableExchangeStore(opened.table);
});

const issuer = 'https://ci.example.org';
let accounts = 0;
let read: ServiceAccountRecord;
beforeEach(async () => {
  accounts += 1;
  read = serviceAccount(`sync-${accounts}`);
  await opened.store.serviceAccounts.create(read, event());
});

const event = () => auditEvent('tides');
const serviceAccount = (name: string): ServiceAccountRecord => ({
  service_account_id: `tides--${name}`,
  owner_account_id: 'tides',
  name,
  description: '',
  disabled: false,
  created_at: now,
  uid: randomUUID(),
  version: 1,
  times_disabled: 0,
  end_sessions_on_revocation: false,
  federated_only: false,
  ended_sources: [],
});
const newKey = (): ServiceAccountKeyRecord => ({
  key_hash: randomUUID(),
  key_id: randomUUID(),
  service_account_id: read.service_account_id,
  service_account_uid: read.uid,
  label: 'a key',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  created_at: now,
});
const nameKey = ['name', 'tides/pipelines', 'branch:main'];
const newWorkflow = (): TrustedWorkflowRecord => ({
  workflow_id: randomUUID(),
  issuer,
  repository: 'tides/pipelines',
  branch: 'main',
  subject: 'repo:tides/pipelines:ref:refs/heads/main',
  kind: 'github',
  match_keys: [matchKeyOf(issuer, nameKey)],
  last_used_at: null,
  last_used_as: null,
  created_at: now,
  service_account_id: read.service_account_id,
  service_account_uid: read.uid,
  pinned: null,
});

const issue = () => opened.store.serviceAccountKeys.create(read, newKey(), event());
const disable = () => opened.store.serviceAccounts.change(read, { disabled: true }, event());
const remove = () => opened.store.serviceAccounts.delete(read, event());
const all = {
  'issue a key': issue,
  'trust a workflow': () => opened.store.trustedWorkflows.create(read, newWorkflow(), event()),
  'grant a repository': async () => {
    const repository = await madeRepository(opened.tableName, 'tides', 'gauges');
    return opened.store.serviceAccounts.putGrant(read, { access: 'read' }, repository, now, event());
  },
  'describe it': () => opened.store.serviceAccounts.change(read, { description: 'late' }, event()),
  'disable it': disable,
  'delete it': remove,
};
const find = async () =>
  (await opened.store.requestData.readRequestData({ serviceAccountId: read.service_account_id })).serviceAccount;

test('a key is not issued to a service account that is disabled at the same time', async () => {
  await disable();
  expect(await outcomeOf(issue())).toBe('conflict');
  expect(await opened.store.serviceAccountKeys.listAll(read)).toEqual([]);
});

describe.each(Object.entries(all))('to %s', (_, attempt) => {
  test('is refused after its deletion, and creates no item', async () => {
    await remove();
    expect(['conflict', 'not_found']).toContain(await outcomeOf(attempt()));
    const page = { limit: 10, after: undefined };
    const left = await opened.table.partitionPage(`SERVICE_ACCOUNT#${read.uid}`, { from: ' ', to: '~' }, page);
    expect([left.items, await find()]).toEqual([[], undefined]);
  });

  test('is refused after another service account has its name, and does not change that account', async () => {
    await remove();
    const another = serviceAccount(read.name);
    await opened.store.serviceAccounts.create(another, event());
    expect(['conflict', 'not_found']).toContain(await outcomeOf(attempt()));
    expect(await find()).toEqual(another);
  });
});

test('a key that is revoked at the same time is neither revoked again nor given another expiry', async () => {
  const key = newKey();
  const { serviceAccountKeys } = opened.store;
  await serviceAccountKeys.create(read, key, event());
  await serviceAccountKeys.revoke(key, now, event());
  expect(await outcomeOf(serviceAccountKeys.revoke(key, '2031-01-01T00:00:00.000Z', event()))).toBe('conflict');
  expect(await outcomeOf(serviceAccountKeys.changeExpiry(key, null, event()))).toBe('conflict');
  expect(await serviceAccountKeys.listAll(read)).toMatchObject([{ revoked_at: now, expires_at: null }]);
});

test('a record of the use or leak of a deleted key does not restore the key', async () => {
  const key = newKey();
  await exchange.recordKeyUse(key, Date.parse(now));
  expect(await opened.store.serviceAccountKeys.revokeFound(key.key_hash, Date.parse(now))).toBe(false);
  expect(await opened.store.serviceAccountKeys.revokeReported(key.key_hash, 'somewhere', Date.parse(now))).toBe(false);
  expect((await exchange.readKeySignIn(key.key_hash, read.service_account_id)).key).toBeUndefined();
});

describe('the store pins the IDs of a workflow', () => {
  const ids = { repository_id: '1001', repository_owner_id: '77', pinned_at: '2026-11-21T10:00:00.000Z' };
  const others = { repository_id: '2002', repository_owner_id: '77', pinned_at: '2026-11-21T10:00:01.000Z' };
  const readMatches = async ({ repository_id, repository_owner_id }: PinnedIds) => {
    const matchKeys = { name: nameKey, ids: ['ids', repository_owner_id, repository_id, 'branch:main'] };
    const { matches } = await exchange.readWorkloadSignIn(read.service_account_id, issuer, [matchKeys], false);
    return matches[0] as FoundMatches;
  };
  const pin = async (workflow: TrustedWorkflowRecord, wanted: PinnedIds) =>
    exchange.pinWorkflow(workflow, wanted, await readMatches(wanted));
  const pinned = async () => (await readMatches(ids)).name.match?.alternatives.map((each) => each.pinned);
  const listed = async () =>
    (await opened.store.trustedWorkflows.list(read.uid, { limit: 10, after: undefined })).items;

  test('once, and refuses one of two first sign-ins with different IDs', async () => {
    const workflow = newWorkflow();
    await opened.store.trustedWorkflows.create(read, workflow, event());
    const outcomes = await Promise.all([pin(workflow, ids), pin(workflow, others)]);
    expect(outcomes.toSorted()).toEqual([false, true]);
    const winner = outcomes[0] ? ids : others;
    expect(await pinned()).toEqual([winner]);
    expect(await listed()).toMatchObject([{ workflow_id: workflow.workflow_id, pinned: winner }]);
    expect((await readMatches(winner)).ids?.match?.alternatives).toMatchObject([{ pinned: winner }]);
    expect(await pin(workflow, winner === ids ? others : ids)).toBe(false);
    expect(await pinned()).toEqual([winner]);
  });

  test('and removes them from both items with the workflow', async () => {
    const [first, second] = [newWorkflow(), { ...newWorkflow(), event_name: 'push' }];
    for (const each of [first, second]) {
      await opened.store.trustedWorkflows.create(read, each, event());
      expect(await pin(each, ids)).toBe(true);
    }
    await opened.store.trustedWorkflows.remove(read, first.workflow_id, event());
    const rest = [{ workflow_id: second.workflow_id }];
    expect(await readMatches(ids)).toMatchObject({
      name: { match: { alternatives: rest } },
      ids: { match: { alternatives: rest } },
    });
    await opened.store.trustedWorkflows.remove(read, second.workflow_id, event());
    expect(await readMatches(ids)).toMatchObject({ name: { match: undefined }, ids: { match: undefined } });
  });

  test('for at most five workflows of one repository and branch', async () => {
    for (let count = 0; count < limits.workflowAlternativesMax; count += 1)
      await opened.store.trustedWorkflows.create(read, { ...newWorkflow(), event_name: `event-${count}` }, event());
    const sixth = opened.store.trustedWorkflows.create(read, newWorkflow(), event());
    await expect(sixth).rejects.toMatchObject({ code: 'limit_reached' });
  });

  test('not for a workflow that is removed at the same time, nor for its successor', async () => {
    const workflow = newWorkflow();
    await opened.store.trustedWorkflows.create(read, workflow, event());
    await opened.store.trustedWorkflows.remove(read, workflow.workflow_id, event());
    expect(await pin(workflow, ids)).toBe(false);
    expect(await pinned()).toBeUndefined();
    await opened.store.trustedWorkflows.create(read, newWorkflow(), event());
    expect(await pin(workflow, ids)).toBe(false);
    expect(await pinned()).toEqual([null]);
  });
});
