import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startBackground } from '../../../lib/local/background-tasks.ts';
import { ObjectCache } from '../../../lib/local/cloudfront/cache/object-cache.ts';
import type { LocalLogLine } from '../../../lib/local/service-options.ts';
import { writeLastChanges } from '../../service/consumer-marks.ts';
import { ciToken, signIn } from '../../service/data-clients.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { startSeededService } from '../../service/seeded-service.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, made, signUp } from '../users.ts';

const eventsIn = (lines: readonly LocalLogLine[]) => lines.flatMap((line) => ('event' in line ? [line.event] : []));
/** Sorts events, because the order across items is undefined. */
const inOrder = (events: ReturnType<typeof eventsIn>) =>
  events.toSorted((a, b) => (`${a.event_id}` < `${b.event_id}` ? -1 : 1));
const eventually = (look: () => unknown) => vi.waitFor(look, { timeout: 20_000, interval: 50 });

test('a second delivery of the whole stream changes nothing and sends the same events with the same IDs', {
  timeout: 90_000,
}, async () => {
  const table = lookAtTable(`test-${randomUUID()}`);
  const service = await startSeededService({ tableName: table.tableName });
  onTestFinished(() => service.close());
  const ada = await service.user('ada');

  // Changes that use every task of the function: events, audit events, expiry markers, counts, and removal of related
  // items.
  const accounts = '/accounts/tide-institute/service-accounts';
  const sync = '/service-accounts/tide-institute--sync';
  const newAccount = async () => {
    await made(ada('POST', accounts, { name: 'sync' }));
    await made(ada('PUT', `${sync}/grants/raw-drafts`, { access: 'read_write' }));
    await made(ada('POST', `${sync}/trusted-workflows`, { repository: 'tide-institute/pipelines', branch: 'main' }));
    return (await made(ada('POST', `${sync}/keys`, { label: 'a key', expiry: '30d' }))).body;
  };
  const { key } = await newAccount();
  await made(service.anyone('POST', '/service-account-keys/revocations', { key }));
  for (const branch of ['one', 'two', 'one']) {
    const run = await ciToken(service, { sub: `repo:tide-institute/pipelines:ref:refs/heads/${branch}` });
    await expect(signIn(service, run, { serviceAccountId: 'tide-institute--sync' })).rejects.toThrow(/Not authorized/);
  }
  await made(ada('DELETE', sync));
  const { key_id } = await newAccount();
  await made(ada('PUT', `${sync}/keys/${key_id}/expiry`, { expiry: '1y' }));
  const grace = await signUp(service, 'grace');
  const membership = await addMember(ada, 'tide-institute', grace, 'grace', 'read_data');
  await made(ada('POST', `/memberships/${membership}/revoke`));
  await made(ada('POST', `${sync}/disable`));

  const areTold = (lines: readonly LocalLogLine[], accounts: readonly string[]) => {
    const told = eventsIn(lines).flatMap(({ type, detail }) =>
      type === 'account.disabled' ? [detail.account_id] : [],
    );
    expect(told).toEqual(expect.arrayContaining([...accounts]));
  };
  // Wait once for all requests, and once more for the writes of the function itself.
  let last: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    last = await writeLastChanges((items) => table.putAll(items));
    await eventually(() => areTold(service.logged, last));
  }
  await service.stream.close();
  // Three kinds of items may differ. The time of a search index change is the time of its report. Change feed entries
  // may repeat, which only repeats an invalidation. The exchange records a refusal for one minute.
  const differing = ['feed', 'search_change', 'refused_sign_in_cause'];
  const compared = async () =>
    (await table.all()).filter(({ entity }) => !differing.includes(String(entity))).map((item) => JSON.stringify(item));
  const before = (await compared()).sort();

  const dynamodb = engineOfThisFile();
  const client = new DynamoDBClient(dynamodb);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table.tableName }));
  const lines: LocalLogLine[] = [];
  const started = new AsyncDisposableStack();
  started.defer(() => client.destroy());
  onTestFinished(() => started.disposeAsync());
  const place = {
    dynamodb,
    client,
    backgroundClient: client,
    table_name: table.tableName,
    stream_arn: Table?.LatestStreamArn ?? '',
  };
  const refuse = () => Promise.reject(new Error('no freeze runs here'));
  const cache = new ObjectCache({ clock: Date.now });
  startBackground(
    {
      ...place,
      clock: Date.now,
      storageAccess: { secrets: { open: refuse }, roles: refuse },
      repositoryJobsEveryMinutes: undefined,
      accessLog: { count: async () => undefined },
      fetchIssuerKeys: async () => ({ failure: 'no_connection' }),
      caches: { objects: cache, pages: cache },
      log: (line) => lines.push(line),
    },
    started,
  );
  await eventually(() => areTold(lines, last));

  expect(inOrder(eventsIn(lines))).toEqual(inOrder(eventsIn(service.logged)));
  expect(eventsIn(lines).filter(({ type }) => type !== 'account.disabled').length).toBeGreaterThan(8);
  expect(lines.filter((line) => 'failure' in line && line.failure !== undefined)).toEqual([]);
  expect((await compared()).sort()).toEqual(before);
});
