import { expect, test } from 'vitest';
import { handler } from '../../../functions/streams/propagate-access-change.ts';
import type { ServiceEvent } from '../../../lib/domain/changes/events.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { KeyExpiryMarkerStore } from '../../../lib/store/key-expiry-markers.ts';
import { keys } from '../../../lib/store/keys.ts';
import { TableRevocationFeed } from '../../../lib/store/revocation-feed.ts';
import { createStore } from '../../../lib/store/store.ts';
import { tableOfThisTest } from '../../lib/management/table-of-this-test.ts';
import { sequenceNumberOf, streamEvent, streamRecord } from './stream-events.ts';

const now = Date.UTC(2026, 10, 21, 10, 0, 30);

/** The function over an empty table of the real engine, with a bus that may refuse. */
async function streamFunction() {
  const { table, failing, put } = await tableOfThisTest();
  const feed = new TableRevocationFeed(table);
  const told: ServiceEvent[] = [];
  const refused = new Set<string>();
  const feedDelays: number[] = [];
  const run = handler.withServices({
    store: createStore(table, Date.now),
    feed,
    expiryMarkers: new KeyExpiryMarkerStore(table),
    events: {
      publish: async (events) => {
        told.push(...events.filter(({ detail }) => !refused.has(detail.account_id)));
        return new Set(events.filter(({ detail }) => refused.has(detail.account_id)).map(({ event_id }) => event_id));
      },
    },
    now: () => now,
    measureFeedDelay: (milliseconds) => feedDelays.push(milliseconds),
    log: () => undefined,
  });
  return {
    run,
    put,
    failing,
    refused,
    told,
    feedDelays,
    accountsTold: () => told.map(({ detail }) => detail.account_id),
    find: (key: { pk: string; sk: string }) => table.get(key),
    fed: async () => (await feed.readSince(now - 60_000, now)).map(({ partitions }) => partitions),
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
/** A change whose events cannot be made: its account has no type. */
const poison = (id: string) => {
  const { account_type: _, ...damaged } = account(id, true);
  return streamRecord({ before: account(id, false), after: damaged });
};

test('the delay of the feed is that of the oldest change of a batch, told once the feed has it', async () => {
  const { run, failing, feedDelays } = await streamFunction();
  failing.add('PutItemCommand');
  await run(streamEvent(disabling('tide-institute')));
  expect(feedDelays).toEqual([]);
  failing.clear();
  await run(streamEvent(disabling('tide-institute'), disabling('wave-institute')));
  // Made at ten sharp; it is half a minute past.
  expect(feedDelays).toEqual([30_000]);
});

test('the changes of a batch are one entry of the feed', async () => {
  const { run, fed } = await streamFunction();
  const grant = { ...keys.grant('uid-1', 'raw-drafts'), entity: 'grant', repository_id: 'raw-drafts', access: 'read' };
  const batch = streamEvent(disabling('one'), disabling('two'), disabling('one'), streamRecord({ before: grant }));
  expect(await run(batch)).toEqual({ batchItemFailures: [] });
  expect(await fed()).toEqual([['ACCOUNT#one', 'ACCOUNT#two', 'SERVICE_ACCOUNT#uid-1']]);
});

test('a record that fails is named; what came before it is told, and the feed has also what comes behind it', async () => {
  const { run, fed, accountsTold } = await streamFunction();
  const failing = poison('two');
  const answer = await run(streamEvent(disabling('one'), failing, disabling('three')));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: sequenceNumberOf(failing) }] });
  expect(accountsTold()).toEqual(['one']);
  expect(await fed()).toEqual([['ACCOUNT#one', 'ACCOUNT#two', 'ACCOUNT#three']]);
});

test('a batch whose feed entry cannot be written is tried again whole, before anything else is done', async () => {
  const { run, failing, told } = await streamFunction();
  failing.add('PutItemCommand');
  const first = disabling('one');
  expect(await run(streamEvent(first, disabling('two')))).toEqual({
    batchItemFailures: [{ itemIdentifier: sequenceNumberOf(first) }],
  });
  expect(told).toEqual([]);
});

test('the first record with an event that the bus did not take is named, however many events there are', async () => {
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

test('a batch that comes again tells the same events again, under the same IDs', async () => {
  const { run, told } = await streamFunction();
  const batch = streamEvent(disabling('one'), disabling('one'));
  await run(batch);
  await run(batch);
  const ids = told.map(({ event_id }) => event_id);
  expect(ids).toHaveLength(4);
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  expect(new Set(ids).size).toBe(2);
});

test('a change of expiry that comes again after a later one does not bring its markers back', async () => {
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

test.each([
  ['an audit event', { entity: 'audit_event' }],
  ['an entry of the feed', { entity: 'feed', partitions: ['ACCOUNT#one'] }],
  ['an idempotency key', { entity: 'idempotency' }],
  ['a marker of expiry', { entity: 'key_expiry_marker' }],
  ['a tally of refusals', { entity: 'refused_sign_in_tally' }],
  ['a pointer to a key', { entity: 'service_account_key_pointer', key_id: 'key-1' }],
])('%s that is written, changed or removed leads to nothing', async (_, item) => {
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
