import { describe, expect, test } from 'vitest';
import { handler } from '../../../functions/streams/follow-changes.ts';
import type { ServiceEvent } from '../../../lib/domain/changes/events.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { KeyExpiryMarkerStore } from '../../../lib/store/api-keys/key-expiry-markers.ts';
import { AuditEventStore } from '../../../lib/store/audit.ts';
import { keys } from '../../../lib/store/keys.ts';
import { RefusedSignInAudit } from '../../../lib/store/refused-sign-in-audit.ts';
import { createStore } from '../../../lib/store/store.ts';
import { tableOfThisTest } from '../../service/table-of-this-test.ts';
import { sequenceNumberOf, streamEvent, streamRecord } from './stream-events.ts';

const now = Date.UTC(2026, 10, 21, 10, 0, 30);

/** Creates the function with an empty table of the real engine, and an event bus that a test can make refuse events. */
async function streamFunction() {
  const { table, failing, requests, put } = await tableOfThisTest();
  const told: ServiceEvent[] = [];
  const refused = new Set<string>();
  const run = handler.withServices({
    store: createStore(table),
    refusedSignIns: new RefusedSignInAudit(table),
    expiryMarkers: new KeyExpiryMarkerStore(table),
    events: {
      publish: async (events) => {
        told.push(...events.filter(({ detail }) => !refused.has(detail.account_id)));
        return new Set(events.filter(({ detail }) => refused.has(detail.account_id)).map(({ event_id }) => event_id));
      },
    },
    clock: () => now,
    log: () => undefined,
  });
  return {
    run,
    put,
    failing,
    requests,
    refused,
    told,
    accountsTold: () => told.map(({ detail }) => detail.account_id),
    find: (key: { pk: string; sk: string }) => table.get(key),
    events: async (accountId: string) =>
      (await new AuditEventStore(table).list(accountId, { limit: 100, after: undefined })).items,
  };
}

const account = (account_id: string, disabled: boolean) => ({
  ...keys.account(account_id),
  entity: 'account',
  account_id,
  account_type: 'organization',
  disabled,
});
const disabling = (id: string) => streamRecord({ before: account(id, false), after: account(id, true) });
/** Returns a change that cannot become an event, because its account has no type. */
const poison = (id: string) => {
  const { account_type: _, ...damaged } = account(id, true);
  return streamRecord({ before: account(id, false), after: damaged });
};

test('reports the failed record after it sends the events of the records before it', async () => {
  const { run, accountsTold } = await streamFunction();
  const failing = poison('two');
  const answer = await run(streamEvent(disabling('one'), failing, disabling('three')));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: sequenceNumberOf(failing) }] });
  expect(accountsTold()).toEqual(['one']);
});

test('reports the first record with an event that the bus refused, for any number of events', async () => {
  const { run, refused, accountsTold } = await streamFunction();
  const names = Array.from({ length: 25 }, (_, index) => `account-${index}`);
  const records = names.map(disabling);
  refused.add('account-13').add('account-17');
  const [, , , , , , , , , , , , , named] = records;
  expect(await run(streamEvent(...records, poison('last')))).toEqual({
    batchItemFailures: [{ itemIdentifier: named && sequenceNumberOf(named) }],
  });
  expect(accountsTold()).toEqual(names.slice(0, 20).filter((name) => !refused.has(name)));
});

test('sends the same events with the same IDs for a repeated batch', async () => {
  const { run, told } = await streamFunction();
  const batch = streamEvent(disabling('one'), disabling('one'));
  await run(batch);
  await run(batch);
  const ids = told.map(({ event_id }) => event_id);
  expect(ids).toHaveLength(4);
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  expect(new Set(ids).size).toBe(2);
});

test('does not restore old markers when a change of expiry is repeated after a later one', async () => {
  const { run, put, find } = await streamFunction();
  const key = (days: number) => ({
    ...keys.serviceKey('hash'),
    entity: 'service_account_key',
    key_id: 'key-1',
    revoked_at: null,
    expires_at: toTimestamp(now + days * 86_400_000),
    created_at: toTimestamp(now),
  });
  const issued = streamRecord({ after: key(30) });
  const changed = streamRecord({ before: key(30), after: key(90) });
  await put(key(90));
  await run(streamEvent(issued, changed));
  const marker = { pk: keys.serviceKey('hash').pk, sk: 'KEY_EXPIRED' };
  expect(await find(marker)).toMatchObject({ ttl: now / 1000 + 90 * 86_400 });
  await run(streamEvent(issued));
  expect(await find(marker)).toMatchObject({ ttl: now / 1000 + 90 * 86_400 });
  expect(await find({ ...marker, sk: 'KEY_EXPIRING' })).toMatchObject({ ttl: now / 1000 + 83 * 86_400 });
});

describe('refused sign-ins', () => {
  const refusal = (service_account_id: string, subject: string, minute = 0) =>
    streamRecord({
      after: {
        ...keys.refusedSignIn(service_account_id),
        entity: 'refused_sign_in',
        service_account_id,
        time: toTimestamp(now + minute * 60_000),
        issuer: 'https://ci.example.org',
        subject,
        request_id: 'request-1',
        kind: 'github',
        fault: null,
        repository_id: null,
        repository_owner_id: null,
        claims: {},
      },
    });
  const serviceAccount = (service_account_id: string) => ({
    ...keys.account(service_account_id),
    entity: 'service_account',
    service_account_id,
    owner_account_id: 'tide-institute',
    name: 'sync',
    description: '',
    disabled: false,
    created_at: toTimestamp(now - 86_400_000),
    uid: 'uid-1',
    version: 1,
  });
  const sync = 'tide-institute--sync';

  test('cost the reads of one refusal when a token is refused seven hundred times, and no reads after the audit trail has them', async () => {
    const { run, put, requests, events } = await streamFunction();
    await put(serviceAccount(sync));
    const batch = () => streamEvent(...Array.from({ length: 100 }, () => refusal(sync, 'repo:a/b:ref:refs/heads/c')));
    for (let rest = 7; rest > 0; rest -= 1) expect(await run(batch())).toEqual({ batchItemFailures: [] });
    expect(requests).toEqual(['BatchGetItemCommand', 'BatchGetItemCommand', 'TransactWriteItemsCommand']);
    // A minute later, the same token is refused again. The audit trail already has an event of this refusal.
    await run(streamEvent(refusal(sync, 'repo:a/b:ref:refs/heads/c', 1)));
    expect(requests).toHaveLength(3);
    expect(await events('tide-institute')).toHaveLength(1);
  });

  test('take one read in a whole batch for names of missing service accounts, and write nothing', async () => {
    const { run, requests } = await streamFunction();
    const names = Array.from({ length: 100 }, (_, index) => `nobody--number-${index}`);
    await run(streamEvent(...names.map((name) => refusal(name, 'repo:a/b:ref:refs/heads/c'))));
    expect(requests).toEqual(['BatchGetItemCommand']);
  });

  test('are recorded if others cannot be audited, and the function reports the first of those', async () => {
    const { run, put, events } = await streamFunction();
    await put(serviceAccount(sync));
    await put({ ...serviceAccount('wave-institute--sync'), owner_account_id: 7 });
    const damaged = refusal('wave-institute--sync', 'repo:a/b:ref:refs/heads/c');
    const batch = [disabling('one'), refusal(sync, 'a'), damaged, refusal(sync, 'b'), disabling('two')];
    expect(await run(streamEvent(...batch))).toEqual({
      batchItemFailures: [{ itemIdentifier: sequenceNumberOf(damaged) }],
    });
    const subjects = (await events('tide-institute')).map(({ subject }) => subject['subject']);
    expect(subjects.sort()).toEqual(['a', 'b']);
  });

  test('are reported by the first one if the table refuses them', async () => {
    const { run, put, failing } = await streamFunction();
    await put(serviceAccount(sync));
    const first = refusal(sync, 'a');
    for (const command of ['BatchGetItemCommand', 'TransactWriteItemsCommand']) {
      failing.clear();
      failing.add(command);
      expect(await run(streamEvent(disabling('one'), first, refusal(sync, 'b')))).toEqual({
        batchItemFailures: [{ itemIdentifier: sequenceNumberOf(first) }],
      });
    }
  });
});

describe('accepted sign-ins', () => {
  const signIn = (request_id: string) =>
    streamRecord({
      after: {
        ...keys.signIn('ada', '2026-11-21T10:00:00.000Z', 'tool-FullAccess'),
        entity: 'sign_in',
        account_id: 'ada',
        time: '2026-11-21T10:00:00.000Z',
        role: 'FullAccess',
        request_id,
      },
    });

  test('become one audit event for any number of deliveries by the stream', async () => {
    const { run, events } = await streamFunction();
    for (let round = 0; round < 2; round += 1) await run(streamEvent(signIn('one'), signIn('one')));
    expect(await events('ada')).toMatchObject([{ event_id: 'tool-FullAccess', request_id: 'one' }]);
  });

  test('never overwrite an audit event', async () => {
    const { run, events } = await streamFunction();
    await run(streamEvent(signIn('one')));
    await run(streamEvent(signIn('forged')));
    expect(await events('ada')).toMatchObject([{ request_id: 'one' }]);
  });
});

test.each([
  ['an audit event', { entity: 'audit_event' }],
  ['an entry of the feed', { entity: 'feed', partitions: ['ACCOUNT#one'] }],
  ['an idempotency key', { entity: 'idempotency' }],
  ['a marker of expiry', { entity: 'key_expiry_marker' }],
  ['a tally of refusals', { entity: 'refused_sign_in_tally' }],
  ['a pointer to a key', { entity: 'service_account_key_pointer', key_id: 'key-1' }],
])('ignores %s that is written, changed, or removed', async (_, item) => {
  const { run, failing, told } = await streamFunction();
  for (const name of ['PutItemCommand', 'TransactWriteItemsCommand', 'DeleteItemCommand', 'UpdateItemCommand'])
    failing.add(name);
  const before = { pk: 'X', sk: 'X', ...item };
  const after = { ...before, changed: true };
  const batch = streamEvent(
    streamRecord({ after: before }),
    streamRecord({ before, after }),
    streamRecord({ before: after }),
  );
  expect(await run(batch)).toEqual({ batchItemFailures: [] });
  expect(told).toEqual([]);
});
