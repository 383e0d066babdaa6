import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Item } from '../../../lib/store/keys.ts';
import { keys } from '../../../lib/store/keys.ts';
import { releasedMigrations } from '../../../lib/store/migrations/released.ts';
import { type Migration, runMigrations, type UnreadableItem } from '../../../lib/store/migrations/run-migrations.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { now, openStore } from './open-store.ts';

/** A migration from schema 1 to schema 2: a gauge's `height` becomes `level_mm`, and its station counts it. */
const levels: Migration = {
  name: '0001-levels',
  schema: 2,
  entities: ['gauge'],
  change(gauge) {
    if (gauge['height'] === 'unknown') throw new Error('height is no number');
    const isOld = gauge['height'] !== undefined;
    return isOld ? { attributes: { height: undefined, level_mm: Number(gauge['height']) * 1000 } } : {};
  },
};

/** A migration from schema 1 to 2 that also writes to a second item. */
const counted: Migration = {
  ...levels,
  name: '0002-counted',
  change(gauge) {
    if (gauge['is_counted'] !== undefined) return {};
    const count = { kind: 'update', key: station, change: { add: { gauges: 1 } } } as const;
    return { attributes: { is_counted: true }, further: [count] };
  },
};

const count = 40;
const station = { pk: 'STATION', sk: 'STATION' };
const keyOf = (number: number) => ({ pk: `GAUGE#${number}`, sk: 'GAUGE' });
const oldGauge = (number: number): Item => ({ ...keyOf(number), entity: 'gauge', schema: 1, height: number });
const newGauge = (number: number): Item => ({ ...keyOf(number), entity: 'gauge', schema: 2, level_mm: number * 1000 });
const all = (gauge: (number: number) => Item) => Array.from({ length: count }, (_, number) => gauge(number));

let items: TableItems;
let client: DynamoDBClient;
let tableName: string;
const unreadable: UnreadableItem[] = [];
beforeEach(async () => {
  ({ client, tableName } = await openStore());
  items = lookAtTable(tableName);
  unreadable.length = 0;
  await items.putAll([...all(oldGauge), { ...station, entity: 'station', schema: 1 }]);
});

const run = (options: { isDryRun?: boolean; isFinishing?: boolean } = {}, migration = levels) =>
  runMigrations(DynamoDBDocumentClient.from(client), [migration], {
    table_name: tableName,
    isDryRun: false,
    isFinishing: false,
    clock: () => Date.parse(now),
    onUnreadable: (item) => unreadable.push(item),
    pageSize: 7,
    ...options,
  });

/** Runs `act` before each write to a gauge, with the number of the write. Returns a function that counts the writes. */
function beforeWrite(act: (number: number) => Promise<void>): () => number {
  let writes = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (/^(?:UpdateItem|TransactWriteItems)Command$/.test(commandName)) await act(writes++);
        return next(args);
      },
    { step: 'initialize', name: 'before-write', override: true },
  );
  return () => writes;
}

/** Makes the write with this number fail. */
const stopAt = (stop: number) =>
  beforeWrite(async (number) => {
    if (number === stop) throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
  });

const gauges = async () =>
  (await items.all())
    .filter(({ entity }) => entity === 'gauge')
    .sort((a, b) => Number(String(a['pk']).slice(6)) - Number(String(b['pk']).slice(6)));

const report = { name: '0001-levels', seen: count, changed: count, unreadable: 0 };

describe('a migration', () => {
  test('changes every item of an earlier schema, and reads none of them twice', async () => {
    expect(await run()).toEqual([{ ...report, outcome: 'open' }]);
    expect(await gauges()).toEqual(all(newGauge));
    expect(await run()).toEqual([{ ...report, seen: 0, changed: 0, outcome: 'open' }]);
  });

  test('changes nothing in a dry run', async () => {
    const before = await items.all();
    expect(await run({ isDryRun: true })).toEqual([{ ...report, outcome: 'would change' }]);
    expect(await items.all()).toEqual(before);
  });

  test('continues where it stopped', async () => {
    stopAt(15);
    await expect(run()).rejects.toMatchObject({ cause: { message: 'connection lost' } });
    const { after } = (await items.find(keys.migration(levels.name).pk, 'MIGRATION')) ?? {};
    expect(after).toBeDefined();
    const done = (await gauges()).filter(({ schema }) => schema === 2).length;
    const writes = beforeWrite(async () => undefined);
    expect(await run()).toMatchObject([{ outcome: 'open' }]);
    expect(writes()).toBe(count - done);
    expect(await gauges()).toEqual(all(newGauge));
  });

  test('examines every item when it is finished, also those that the previous release updated in place', async () => {
    await run();
    // During the migration, the previous version writes a new item, and an attribute of an item that is already
    // migrated.
    await items.putAll([oldGauge(count), { ...newGauge(3), height: 4 }]);
    expect(await run({ isFinishing: true })).toEqual([{ ...report, seen: count + 1, changed: 2, outcome: 'finished' }]);
    expect(await gauges()).toEqual(
      [...all((number) => newGauge(number === 3 ? 4 : number)), newGauge(count)].map((gauge, number) =>
        number === 3 ? { ...gauge, ...keyOf(3) } : gauge,
      ),
    );
    expect(await run()).toEqual([{ ...report, seen: 0, changed: 0, outcome: 'finished before' }]);
  });

  test('starts again when it is finished after an ordinary run that stopped', async () => {
    stopAt(30);
    await expect(run()).rejects.toMatchObject({ cause: { message: 'connection lost' } });
    beforeWrite(async () => undefined);
    // The previous version writes an item before the position at which the run stopped.
    await items.putAll(all(oldGauge));
    expect(await run({ isFinishing: true })).toEqual([{ ...report, outcome: 'finished' }]);
    expect(await gauges()).toEqual(all(newGauge));
  });

  test("preserves a request's write between its read and its write", async () => {
    let requests: Promise<void> | undefined;
    beforeWrite(() => (requests ??= items.putAll(all((each) => ({ ...oldGauge(each), height: each + 1 })))));
    await run();
    expect(await gauges()).toEqual(all((each) => ({ ...newGauge(each), level_mm: (each + 1) * 1000 })));
  });

  test('reports an item that it cannot read, changes the others, and stays open', async () => {
    await items.putAll([{ ...oldGauge(4), height: 'unknown' }]);
    const partial = { ...report, changed: count - 1, unreadable: 1 };
    expect(await run({ isFinishing: true })).toEqual([{ ...partial, outcome: 'not finished' }]);
    expect(unreadable).toEqual([{ migration: levels.name, ...keyOf(4), reason: 'height is no number' }]);
    await items.putAll([oldGauge(4)]);
    expect(await run({ isFinishing: true })).toMatchObject([{ changed: 1, unreadable: 0, outcome: 'finished' }]);
  });

  test('writes to other items in the same transaction, once for each item', async () => {
    let request: Promise<void> | undefined;
    beforeWrite(() => (request ??= items.putAll([{ ...oldGauge(0), height: 5 }])));
    await run({}, counted);
    await run({ isFinishing: true }, counted);
    expect((await items.find(station.pk, station.sk))?.['gauges']).toBe(count);
  });
});

test('released migrations have consecutive numbers', () => {
  expect(releasedMigrations.map(({ name }) => name.slice(0, 5))).toEqual(
    releasedMigrations.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  );
});
