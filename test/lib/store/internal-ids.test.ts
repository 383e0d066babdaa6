import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { DataAccessStore } from '../../../lib/store/data-access.ts';
import { keys, lists } from '../../../lib/store/keys.ts';
import { internalIds } from '../../../lib/store/migrations/0002-internal-ids.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { runMigrations } from '../../../lib/store/migrations/run-migrations.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { createStore, type Store } from '../../../lib/store/store.ts';
import type { Table } from '../../../lib/store/table.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { auditEvent, newMembership, newRepository, now, openStore } from './open-store.ts';

/** Migration 0002 over what releases before internal ids wrote, while they and this one go on writing. */

const repositoryCount = 400;
const names = Array.from({ length: repositoryCount }, (_, number) => `tides-${number}`);
const memberId = 'ada';
const serviceAccount = {
  uid: '5b0c8d4e-2f6a-4b8e-9d1c-3a7f5e2b1c0d',
  service_account_id: 'acme--sync',
  owner_account_id: 'acme',
  name: 'sync',
  description: '',
  disabled: false,
  created_at: now,
  times_disabled: 0,
};

let client: DynamoDBClient;
let tableName: string;
let table: Table;
let items: TableItems;
let time: number;
let store: Store;
beforeEach(async () => {
  ({ client, table, tableName } = await openStore());
  items = lookAtTable(tableName);
  time = Date.parse(now);
  store = createStore(table, () => time);
  await items.putAll([encodeFinished([])]);
  await store.serviceAccounts.create(serviceAccount, auditEvent('acme'));
});

/** What an older release writes when somebody makes a repository and gives it to a member, a key and a service account. */
const olderItems = (repository_id: string) => {
  const { uid, ...repository } = newRepository('acme', repository_id);
  const { membership_id, ...membership } = { ...newMembership(memberId, 'acme', { state: 'member' }), repository_id };
  const scope = `acme/${repository_id}`;
  return {
    repository: encodeRepository(repository),
    role: { ...keys.role(memberId, scope), entity: 'role', membership_id, role: 'owners', state: 'member' },
    membership: {
      ...keys.acceptedMembership(memberId, now, membership_id),
      entity: 'membership',
      membership_id,
      ...membership,
      list_pk: lists.members(scope),
      list_sk: `${now}#${membership_id}`,
    },
    api_key: {
      ...keys.apiKey(`SCAK${repository_id}`),
      entity: 'api_key',
      access_key_id: `SCAK${repository_id}`,
      account_id: 'acme',
      repository_id,
      disabled: false,
      expires: '2999-01-01T00:00:00.000Z',
      name: 'key',
      secret_version: 1,
      created_at: now,
    },
    grant: {
      ...keys.grant(serviceAccount.uid, repository_id),
      entity: 'grant',
      repository_id,
      access: 'read_write',
      list_pk: lists.grants(serviceAccount.uid),
      list_sk: `${now}#${repository_id}`,
    },
  };
};
const olderWrites = (which: readonly string[]) =>
  items.putAll(which.flatMap((repository_id) => Object.values(olderItems(repository_id))));

const migrate = (isFinishing = false, act?: (update: number) => Promise<void>) => {
  let update = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'UpdateItemCommand') await act?.(update++);
        return next(args);
      },
    { step: 'initialize', name: 'before-update', override: true },
  );
  const unreadable: unknown[] = [];
  return runMigrations(DynamoDBDocumentClient.from(client), [internalIds], {
    table_name: tableName,
    isDryRun: false,
    isFinishing,
    clock: () => time,
    random: systemRandom,
    onUnreadable: (item) => unreadable.push(item),
  }).then(([report]) => ({ ...report, named: unreadable }));
};

/** The internal id of each repository, with how often what hangs on it has that, another one, and none. */
async function idsOf(all: readonly Record<string, unknown>[]) {
  const uids = new Map(
    all.filter(({ entity }) => entity === 'repository').map((item) => [item['repository_id'], item['uid']]),
  );
  const counts = { repositories: new Set([...uids.values()].filter(Boolean)).size, right: 0, wrong: 0, none: 0 };
  for (const item of all) {
    const ofRole = item['entity'] === 'role' ? String(item['sk']).split('/')[1] : undefined;
    const name = ofRole ?? item['repository_id'];
    if (name === undefined || !['role', 'membership', 'api_key', 'grant'].includes(String(item['entity']))) continue;
    if (item['repository_uid'] === undefined) counts.none += 1;
    else counts[item['repository_uid'] === uids.get(name) ? 'right' : 'wrong'] += 1;
  }
  return counts;
}
const without = (all: readonly Record<string, unknown>[]): Record<string, unknown>[] =>
  all
    .filter(({ entity }) => entity !== 'migration' && entity !== 'finished_migrations')
    .map(
      ({ uid, repository_uid, ...rest }): Record<string, unknown> => ({
        ...rest,
        ...(rest['entity'] === 'repository' ? {} : { uid }),
      }),
    )
    .sort((a, b) => `${a['pk']} ${a['sk']}`.localeCompare(`${b['pk']} ${b['sk']}`));

test('two thousand items that an older release wrote get the ids of their repositories, and nothing else', async () => {
  await olderWrites(names);
  const before = await items.all();
  expect(await migrate()).toMatchObject({ outcome: 'open', unreadable: 0 });
  const after = await items.all();
  expect(await idsOf(after)).toEqual({ repositories: repositoryCount, right: 4 * repositoryCount, wrong: 0, none: 0 });
  expect(without(after)).toEqual(without(before));
  expect(await migrate()).toMatchObject({ changed: 0 });
}, 300_000);

test('what older functions write while it runs, and after it, is found by the next run; a run that was cut off goes on', async () => {
  const [early, late, later] = [names.slice(0, 300), names.slice(300, 350), names.slice(350)];
  await olderWrites(early);
  await expect(
    migrate(false, async (update) => {
      if (update === 200) await olderWrites(late);
      if (update === 700) throw Object.assign(new Error('the machine went away'), { code: 'ECONNRESET' });
    }),
  ).rejects.toThrow('the machine went away');
  await migrate();
  await olderWrites(later);
  expect(await migrate(true)).toMatchObject({ outcome: 'finished', named: [] });
  expect(await idsOf(await items.all())).toEqual({
    repositories: repositoryCount,
    right: 4 * repositoryCount,
    wrong: 0,
    none: 0,
  });
}, 300_000);

test('requests of this release beside it lose nothing: what they give has the id that the migration gave', async () => {
  await olderWrites(names.slice(0, 60));
  const record = async (repository_id: string): Promise<RepositoryRecord> => {
    const { repository } = await store.facts.readRequestData({ scope: { account_id: 'acme', repository_id } });
    if (repository === undefined) throw new Error('it is there');
    return repository;
  };
  await migrate(false, async (update) => {
    if (update !== 30) return;
    for (const name of names.slice(0, 60)) {
      const repository = await record(name);
      await store.repositories.update(
        { repository, account: { disabled: false } },
        { ...repository, state: 'unlisted' },
        auditEvent('acme'),
      );
      const grant = () =>
        store.serviceAccounts.putGrant(serviceAccount, { access: 'read' }, repository, now, auditEvent('acme'));
      // The migration may have given the repository its id since it was read: then the request is made again.
      await grant().catch(async () =>
        store.serviceAccounts.putGrant(serviceAccount, { access: 'read' }, await record(name), now, auditEvent('acme')),
      );
    }
  });
  await migrate();
  const all = await items.all();
  expect(await idsOf(all)).toMatchObject({ repositories: 60, right: 240, wrong: 0, none: 0 });
  expect(all.filter(({ entity, state }) => entity === 'repository' && state === 'unlisted')).toHaveLength(60);
  expect(all.filter(({ entity, access }) => entity === 'grant' && access === 'read')).toHaveLength(60);
}, 300_000);

test('an item that it cannot read is named, and keeps it open', async () => {
  await olderWrites(names.slice(0, 3));
  const { api_key } = olderItems('tides-1');
  await items.putAll([{ ...api_key, disabled: 'perhaps' }]);
  expect(await migrate(true)).toMatchObject({
    outcome: 'not finished',
    named: [{ migration: internalIds.name, pk: api_key.pk, sk: api_key.sk }],
  });
});

test('what has no id counts until it is finished, and not afterwards', async () => {
  const path = { account_id: 'acme', repository_id: 'tides-1' };
  await olderWrites(['tides-1']);
  const data = new DataAccessStore(table, store.migrations);
  const asSync = {
    kind: 'service_account',
    service_account_id: 'acme--sync',
    service_account_uid: serviceAccount.uid,
  } as const;
  const asAda = { kind: 'api_key', access_key_id: 'SCAK', account_id: memberId, repository_id: undefined } as const;
  const counts = async () =>
    Promise.all([
      data
        .readAccess({ ...asSync, times_disabled: 0, role: 'FullAccess' }, path)
        .then((facts) => facts.countsWithoutId),
      data.readRights({ ...asSync, times_disabled: 0, role: 'FullAccess' }).then((facts) => facts.countsWithoutId),
      data.readAccess(asAda, path).then((facts) => facts.countsWithoutId),
      data.readRights(asAda).then((facts) => facts.countsWithoutId),
      store.facts.readRequestData({ callerAccountId: memberId, scope: path }).then((facts) => facts.countsWithoutId),
      store.memberships.rolesBelow(memberId, 'acme').then((facts) => facts.countsWithoutId),
      store.facts.isOfPresentRepository({ ...olderItems('tides-1').api_key, entity: undefined } as never),
    ]);
  expect(await counts()).toEqual(Array.from({ length: 7 }, () => true));
  await items.putAll([encodeFinished([internalIds.name])]);
  time += 10_001;
  expect(await counts()).toEqual(Array.from({ length: 7 }, () => false));
});

test('deleting and transferring are refused until it is finished', async () => {
  await expect(store.repositoryIds.requireIds()).rejects.toMatchObject({ code: 'wrong_state' });
  await items.putAll([encodeFinished([internalIds.name])]);
  time += 10_001;
  await store.repositoryIds.requireIds();
});
