import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Repository } from '../../../lib/domain/data/repositories.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { openTable } from '../../../lib/lambda/table.ts';
import { placesOfRepositories } from '../../../lib/store/migrations/0001-places-of-repositories.ts';
import { encodeFinished, FinishedMigrations } from '../../../lib/store/migrations/finished-migrations.ts';
import { attributesOf, type Migration } from '../../../lib/store/migrations/migration.ts';
import { releasedMigrations } from '../../../lib/store/migrations/released.ts';
import { runMigrations, type UnreadableItem } from '../../../lib/store/migrations/run-migrations.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import type { Store } from '../../../lib/store/store.ts';
import type { Table } from '../../../lib/store/table.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { creation, issuer, newAccount, now, openStore } from './open-store.ts';

const repository = (number: number): Repository => ({
  account_id: 'acme',
  repository_id: `tides-${String(number).padStart(2, '0')}`,
  state: 'listed',
  data_mode: 'open',
  featured: 0,
  meta: { title: 'Tides', description: 'Of the sea', tags: 'sea' },
  data: {
    primary_mirror: 'store',
    mirrors: { store: { data_connection_id: 'store', prefix: `acme/tides-${number}/` } },
  },
  published: now,
  disabled: false,
});
const count = 40;
const isMisplaced = (number: number) => number % 2 === 0;
const names = Array.from({ length: count }, (_, number) => repository(number).repository_id);

let store: Store;
let items: TableItems;
let client: DynamoDBClient;
let tableName: string;
beforeEach(async () => {
  ({ store, client, tableName } = await openStore());
  items = lookAtTable(tableName);
  await store.accounts.createUser(newAccount('acme'), { issuer, identity_id: 'acme' }, creation('acme'));
  // A table made by this release is finished from the start.
  await items.putAll([encodeFinished([])]);
});

const placeAll = () =>
  items.putAll(
    names.map((_, number) => {
      const { list_pk, list_sk, catalogue_sk, ...kept } = encodeRepository(repository(number));
      return isMisplaced(number)
        ? { ...kept, list_pk: 'elsewhere', list_sk }
        : { ...kept, list_pk, list_sk, catalogue_sk };
    }),
  );

const unreadable: UnreadableItem[] = [];
const run = (options: { isDryRun?: boolean; isFinishing?: boolean } = {}, migrations = [placesOfRepositories]) => {
  unreadable.length = 0;
  return runMigrations(DynamoDBDocumentClient.from(client), migrations, {
    table_name: tableName,
    isDryRun: false,
    isFinishing: false,
    clock: () => Date.parse(now),
    random: systemRandom,
    onUnreadable: (item) => unreadable.push(item),
    pageSize: 7,
    ...options,
  });
};

/** Throws or does something before the updates that it names by their number. */
function beforeUpdate(act: (number: number) => Promise<void>): void {
  let number = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'UpdateItemCommand') await act(number++);
        return next(args);
      },
    { step: 'initialize', name: 'before-update', override: true },
  );
}

const listed = async () => (await store.repositoryLists.ofAccount('acme', { limit: 100, after: undefined })).items;
const catalogue = async () => (await store.repositoryLists.catalogue({ limit: 100, after: undefined })).items;

const report = { name: '0001-places-of-repositories', seen: count, changed: 0, unreadable: 0 };

describe('a migration', () => {
  beforeEach(placeAll);

  test('puts right what an earlier release wrote', async () => {
    expect(await listed()).toHaveLength(count / 2);
    expect(await run()).toEqual([{ ...report, changed: count / 2, outcome: 'open' }]);
    expect((await listed()).map(({ repository_id }) => repository_id)).toEqual(names);
    expect(await catalogue()).toHaveLength(count);
  });

  test('looks at everything again at each run, so that what the former release writes after the first is put right too', async () => {
    await run();
    await items.putAll([{ ...encodeRepository(repository(3)), list_pk: 'elsewhere' }]);
    expect(await run()).toEqual([{ ...report, changed: 1, outcome: 'open' }]);
    expect(await listed()).toHaveLength(count);
    expect(await run()).toEqual([{ ...report, outcome: 'open' }]);
  });

  test('is finished by one more run, and not looked at afterwards', async () => {
    await run();
    await items.putAll([{ ...encodeRepository(repository(3)), list_pk: 'elsewhere' }]);
    expect(await run({ isFinishing: true })).toEqual([{ ...report, changed: 1, outcome: 'finished' }]);
    expect(await listed()).toHaveLength(count);
    expect(await run()).toEqual([{ ...report, seen: 0, outcome: 'finished before' }]);
  });

  test('that was cut off goes on where it stopped', async () => {
    beforeUpdate(async (number) => {
      if (number === 9) throw Object.assign(new Error('the machine went away'), { code: 'ECONNRESET' });
    });
    await expect(run()).rejects.toThrow('the machine went away');
    const done = (await listed()).length - count / 2;
    let updates = 0;
    beforeUpdate(async () => {
      updates += 1;
    });
    const [resumed] = await run();
    expect(resumed).toMatchObject({ outcome: 'open', seen: count });
    expect(updates).toBe(count / 2 - done);
    expect(await listed()).toHaveLength(count);
  });

  test('is not finished by the rest of a run that began before the former release was gone', async () => {
    beforeUpdate(async (number) => {
      if (number === 9) throw Object.assign(new Error('the machine went away'), { code: 'ECONNRESET' });
    });
    await expect(run()).rejects.toThrow('the machine went away');
    beforeUpdate(async () => undefined);
    // The operator goes on days later; meanwhile the former release wrote where the run had been already.
    await items.putAll(names.map((_, each) => ({ ...encodeRepository(repository(each)), list_pk: 'elsewhere' })));
    expect(await run({ isFinishing: true })).toMatchObject([{ outcome: 'finished', seen: count, changed: count }]);
    expect(await listed()).toHaveLength(count);
  });

  test('loses nothing of what a request writes meanwhile', async () => {
    const changed = {
      meta: { title: 'New title', description: 'Of the sea', tags: 'sea' },
      state: 'unlisted',
    } as const;
    beforeUpdate(async (number) => {
      if (number !== 0) return;
      // Whichever comes first: all are changed behind the migration's back, between its read and its write.
      await items.putAll(names.map((_, each) => encodeRepository({ ...repository(each), ...changed })));
    });
    await run();
    expect((await listed()).map(({ meta, state }) => ({ meta, state }))).toEqual(names.map(() => changed));
    expect(await catalogue()).toEqual([]);
  });

  test('that is tried dry counts and changes nothing', async () => {
    const before = await items.all();
    expect(await run({ isDryRun: true })).toEqual([{ ...report, changed: count / 2, outcome: 'would change' }]);
    expect(await items.all()).toEqual(before);
  });

  test('names an item that it cannot read, goes on, and is not finished', async () => {
    const broken = encodeRepository(repository(4));
    await items.putAll([{ ...broken, disabled: 'perhaps' }]);
    expect(await run({ isFinishing: true })).toEqual([
      { ...report, changed: count / 2 - 1, unreadable: 1, outcome: 'not finished' },
    ]);
    expect(unreadable).toEqual([
      { migration: report.name, pk: broken['pk'], sk: broken['sk'], reason: expect.stringContaining('disabled') },
    ]);
    await items.putAll([broken]);
    expect(await run({ isFinishing: true })).toMatchObject([{ unreadable: 0, outcome: 'finished' }]);
  });
});

/** Every repository gets its account's number of them, and the account counts them anew when it is closed. */
const related: Migration = {
  name: '0002-related',
  entities: ['account'],
  async *changes(account, { table }) {
    const page = await table.listPage('lists', `REPOSITORIES#${account['account_id']}`, {
      limit: 1000,
      after: undefined,
    });
    for (const repository of page.items) {
      if (repository['mark'] === undefined) {
        yield [
          { kind: 'check', from: account },
          { kind: 'update', from: repository, to: { mark: account['identity_id'] } },
        ];
      }
    }
  },
  finish: {
    entities: ['account'],
    async *changes(account, { table }) {
      const page = await table.listPage('lists', `REPOSITORIES#${account['account_id']}`, {
        limit: 1000,
        after: undefined,
      });
      yield* attributesOf(account, { repositories: page.items.length });
    },
  },
};

describe('a migration of what hangs on an item', () => {
  const account = () => items.find('ACCOUNT#acme', 'ACCOUNT');
  beforeEach(() => items.putAll(names.map((_, number) => encodeRepository(repository(number)))));

  test('reads and changes that, each change bound to what it follows from', async () => {
    let isChanged = false;
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' && !isChanged) {
            isChanged = true;
            await items.putAll([{ ...(await account()), identity_id: 'another' }]);
          }
          return next(args);
        },
      { step: 'initialize', name: 'before-transaction' },
    );
    expect(await run({}, [related])).toMatchObject([{ outcome: 'open', changed: 1 }]);
    const marks = (await items.all()).filter(({ entity }) => entity === 'repository').map(({ mark }) => mark);
    expect(marks).toEqual(names.map(() => 'another'));
  });

  test('counts anew when it is finished, and not before', async () => {
    await run({}, [related]);
    expect((await account())?.['repositories']).toBeUndefined();
    await run({ isFinishing: true }, [related]);
    expect((await account())?.['repositories']).toBe(count);
  });
});

describe('whether a migration is finished', () => {
  const migration = { name: '0001-places-of-repositories' } as const;
  const finish = () => items.putAll([encodeFinished([migration.name])]);

  test('is known from the start of a table that no older release wrote to', async () => {
    const opened = await openStore();
    for (const released of releasedMigrations) expect(await opened.store.migrations.isFinished(released)).toBe(true);
  });

  test('is asked for again after ten seconds, and remembered once it is', async () => {
    let time = Date.parse(now);
    let reads = 0;
    const table = openTable(client, tableName);
    const get: Table['get'] = (key) => {
      reads += 1;
      return table.get(key);
    };
    const finished = new FinishedMigrations({ get }, () => time);
    expect(await Promise.all([finished.isFinished(migration), finished.isFinished(migration)])).toEqual([false, false]);
    await finish();
    time += 10_000;
    expect([await finished.isFinished(migration), reads]).toEqual([false, 1]);
    time += 1;
    expect([await finished.isFinished(migration), reads]).toEqual([true, 2]);
    time += 86_400_000;
    expect([await finished.isFinished(migration), reads]).toEqual([true, 2]);
  });

  test('cannot be told while the table cannot be asked, but for what is known', async () => {
    let time = Date.parse(now);
    await finish();
    const table = openTable(client, tableName);
    let isDown = true;
    const get: Table['get'] = (key) => (isDown ? Promise.reject(new Error('down')) : table.get(key));
    const finished = new FinishedMigrations({ get }, () => time);
    await expect(finished.isFinished(migration)).rejects.toThrow('down');
    isDown = false;
    expect(await finished.isFinished(migration)).toBe(true);
    isDown = true;
    time += 60_000;
    await expect(finished.isFinished({ name: '0002-another' })).rejects.toThrow('down');
    expect(await finished.isFinished(migration)).toBe(true);
  });
});

test('migrations are named by numbers without a gap, in their order', () => {
  expect(releasedMigrations.map(({ name }) => name.slice(0, 5))).toEqual(
    releasedMigrations.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  );
});
