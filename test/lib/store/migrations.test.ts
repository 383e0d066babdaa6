import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Repository } from '../../../lib/domain/data/repositories.ts';
import { releasedMigrations } from '../../../lib/store/migrations/released.ts';
import { runMigrations } from '../../../lib/store/migrations/run-migrations.ts';
import { encodeRepository } from '../../../lib/store/repositories.ts';
import type { Store } from '../../../lib/store/store.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { auditEvent, newAccount, now, openStore } from './open-store.ts';

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
  await store.accounts.createUser(newAccount('acme'), auditEvent('acme'));
  await items.putAll(
    names.map((_, number) => {
      const { list_pk, list_sk, catalogue_sk, ...kept } = encodeRepository(repository(number));
      return isMisplaced(number)
        ? { ...kept, list_pk: 'elsewhere', list_sk }
        : { ...kept, list_pk, list_sk, catalogue_sk };
    }),
  );
});

const run = (options: { isDryRun?: boolean } = {}) =>
  runMigrations(DynamoDBDocumentClient.from(client), releasedMigrations, {
    table_name: tableName,
    isDryRun: false,
    now: () => Date.parse(now),
    pageSize: 7,
    ...options,
  });

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

const listed = async () => (await store.repositories.list('acme', { limit: 100, after: undefined })).items;
const catalogue = async () => (await store.repositories.listCatalogue({ limit: 100, after: undefined })).items;

describe('a migration', () => {
  test('puts right what an earlier release wrote, once', async () => {
    expect(await listed()).toHaveLength(count / 2);
    const report = { name: '0001-places-of-repositories', seen: count, changed: count / 2 };
    expect(await run()).toEqual([{ ...report, outcome: 'done' }]);
    expect((await listed()).map(({ repository_id }) => repository_id)).toEqual(names);
    expect(await catalogue()).toHaveLength(count);
    expect(await run()).toEqual([{ ...report, outcome: 'done before' }]);
  });

  test('that was cut off goes on where it stopped', async () => {
    beforeUpdate(async (number) => {
      if (number === 9) throw new Error('the machine went away');
    });
    await expect(run()).rejects.toThrow('the machine went away');
    let updates = 0;
    beforeUpdate(async () => {
      updates += 1;
    });
    const [report] = await run();
    expect(report).toMatchObject({ outcome: 'done', seen: count });
    expect(updates).toBe(count / 2 - 9);
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
    expect(await run({ isDryRun: true })).toMatchObject([{ outcome: 'would change', seen: count, changed: count / 2 }]);
    expect(await items.all()).toEqual(before);
  });
});

test('migrations are named by numbers without a gap, in their order', () => {
  expect(releasedMigrations.map(({ name }) => name.slice(0, 5))).toEqual(
    releasedMigrations.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  );
});
