import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { handler } from '../../../functions/table/mark-new-table.ts';
import { keys } from '../../../lib/store/keys.ts';
import { FinishedMigrations } from '../../../lib/store/migrations/finished-migrations.ts';
import { releasedMigrations } from '../../../lib/store/migrations/released.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { lookAtTable, type TableItems } from '../table-items.ts';

let opened: Awaited<ReturnType<typeof openStore>>;
let items: TableItems;
let answers: { url: string; body: Record<string, unknown> }[];
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  // The tables of tests are made with this in them.
  await opened.table.delete(keys.finishedMigrations());
  expect(await items.all()).toEqual([]);
  answers = [];
});

const pool = "the deployment's user pool";

/** As CloudFormation does, so many milliseconds after the table was made. */
async function invoke(
  RequestType: string,
  { laterMs = 0, tableName = opened.tableName, issuers = [pool] as [string, string?] } = {},
): Promise<void> {
  const mark = handler.withServices({
    client: DynamoDBDocumentClient.from(opened.client),
    tableName,
    clock: () => Date.now() + laterMs,
    answer: async (url, body) => answers.push({ url, body: JSON.parse(body) }),
    log: () => undefined,
  });
  const names = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'NewTable' };
  const [issuer, former] = issuers;
  await mark({
    RequestType,
    ResponseURL: 'https://cloudformation.example/answer',
    ...names,
    ResourceProperties: { PeopleIssuer: issuer },
    ...(former === undefined ? {} : { OldResourceProperties: { PeopleIssuer: former } }),
  });
}

async function finished(): Promise<boolean[]> {
  const migrations = new FinishedMigrations(opened.table, Date.now);
  return Promise.all(releasedMigrations.map((migration) => migrations.isFinished(migration)));
}

test('a table that was just made has every migration finished from the start, and CloudFormation is told', async () => {
  await invoke('Create');
  expect(await finished()).toEqual(releasedMigrations.map(() => true));
  const asked = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'NewTable' };
  const body = {
    ...asked,
    PhysicalResourceId: opened.tableName,
    Status: 'SUCCESS',
    Data: { Migrations: 'finished', PeopleIssuer: pool },
  };
  expect(answers).toEqual([{ url: 'https://cloudformation.example/answer', body }]);
});

test.each([
  ['holds an item of an older release', 'Create', {}, [{ pk: 'ACCOUNT#acme', sk: 'ACCOUNT', entity: 'account' }]],
  ['was made more than an hour ago, though it is empty', 'Create', { laterMs: 3_700_000 }, []],
  ['is there when its stack is changed', 'Update', {}, []],
  ['is there when its stack is deleted', 'Delete', {}, []],
] as const)('a table that %s keeps its migrations open', async (_, type, options, stored) => {
  await items.putAll(stored);
  await invoke(type, options);
  expect(await finished()).toEqual(releasedMigrations.map(() => false));
  expect(await items.all()).toEqual(stored);
  expect(answers).toMatchObject([{ body: { Status: 'SUCCESS', Data: { Migrations: 'open' } } }]);
});

test('a deployment does not fail when the table cannot be read', async () => {
  await invoke('Create', { tableName: 'no-such-table' });
  expect(answers).toMatchObject([{ body: { Status: 'SUCCESS', Data: { Migrations: 'open' } } }]);
});

test('a deployment that switches the issuer of people is warned, whichever way, and goes on', async () => {
  const issuer = 'https://login.example.org';
  await invoke('Update', { issuers: [issuer, issuer] });
  await invoke('Update', { issuers: [issuer, pool] });
  await invoke('Update', { issuers: [pool, issuer] });
  const shown = answers.map(({ body }) => [body['Status'], (body['Data'] as { PeopleIssuer: string }).PeopleIssuer]);
  expect(shown).toEqual([
    ['SUCCESS', issuer],
    ['SUCCESS', expect.stringContaining(`WARNING: people signed in by ${pool} until now, and by ${issuer}`)],
    ['SUCCESS', expect.stringContaining(`WARNING: people signed in by ${issuer} until now, and by ${pool}`)],
  ]);
});
