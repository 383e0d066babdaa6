import { expect, test } from 'vitest';
import { handler } from '../../../functions/streams/propagate-access-change.ts';
import type { InvalidationTarget } from '../../../lib/domain/changes/invalidations.ts';
import { EndedSessionStore } from '../../../lib/store/ended-sessions.ts';
import { keys } from '../../../lib/store/keys.ts';
import { TableRevocationFeed } from '../../../lib/store/revocation-feed.ts';
import { tableOfThisTest } from '../../service/table-of-this-test.ts';
import { sequenceNumberOf, streamEvent, streamRecord } from './stream-events.ts';

const now = Date.UTC(2026, 10, 21, 10, 0, 30);

/** Creates the function with an empty table of the real engine. */
async function streamFunction() {
  const { table, failing, requests } = await tableOfThisTest();
  const feed = new TableRevocationFeed(table);
  const feedDelays: number[] = [];
  const closed: InvalidationTarget[] = [];
  const run = handler.withServices({
    feed,
    endedSessions: new EndedSessionStore(table),
    invalidations: { send: async (targets) => void closed.push(...targets) },
    clock: () => now,
    measureFeedDelay: (milliseconds) => feedDelays.push(milliseconds),
    log: () => undefined,
  });
  return {
    run,
    failing,
    requests,
    feedDelays,
    closed,
    fed: async () => (await feed.readSince(now - 60_000, now)).map(({ partitions }) => partitions),
  };
}

const account = (account_id: string, disabled: boolean) => ({
  ...keys.account(account_id),
  entity: 'account',
  account_id,
  disabled,
});
const disabling = (id: string) => streamRecord({ before: account(id, false), after: account(id, true) });

test('reports the delay of the oldest change of a batch after the feed entry is written', async () => {
  const { run, failing, feedDelays } = await streamFunction();
  failing.add('PutItemCommand');
  await run(streamEvent(disabling('tide-institute')));
  expect(feedDelays).toEqual([]);
  failing.clear();
  await run(streamEvent(disabling('tide-institute'), disabling('wave-institute')));
  // The change is from 10:00:00, and the time is 10:00:30.
  expect(feedDelays).toEqual([30_000]);
});

test('writes the changes of a batch as one feed entry, without reads', async () => {
  const { run, fed, requests } = await streamFunction();
  const grant = { ...keys.grant('uid-1', 'raw-drafts'), entity: 'grant', repository_id: 'raw-drafts', access: 'read' };
  const batch = streamEvent(disabling('one'), disabling('two'), disabling('one'), streamRecord({ before: grant }));
  expect(await run(batch)).toEqual({ batchItemFailures: [] });
  expect(requests).toEqual(['PutItemCommand']);
  expect(await fed()).toEqual([['ACCOUNT#one', 'ACCOUNT#two', 'SERVICE_ACCOUNT#uid-1']]);
});

test('reports the first of two unreadable records, and writes all other records to the feed', async () => {
  const { run, fed } = await streamFunction();
  const [first, second] = [disabling('two'), disabling('four')] as const;
  for (const { dynamodb } of [first, second])
    if (dynamodb?.NewImage !== undefined) dynamodb.NewImage = { disabled: {} as { S: string } };
  expect(await run(streamEvent(disabling('one'), first, disabling('three'), second))).toEqual({
    batchItemFailures: [{ itemIdentifier: sequenceNumberOf(first) }],
  });
  expect(await fed()).toEqual([['ACCOUNT#one', 'ACCOUNT#three']]);
});

test('retries the whole batch when the feed entry cannot be written', async () => {
  const { run, failing } = await streamFunction();
  failing.add('PutItemCommand');
  const first = disabling('one');
  expect(await run(streamEvent(first, disabling('two')))).toEqual({
    batchItemFailures: [{ itemIdentifier: sequenceNumberOf(first) }],
  });
});

test('reads nothing from the table for a change without effect on access', async () => {
  const { run, requests } = await streamFunction();
  const before = account('one', false);
  await run(streamEvent(streamRecord({ before, after: { ...before, profile: { name: 'One' } } })));
  expect(requests).toEqual([]);
});
