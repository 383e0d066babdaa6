import { beforeAll, describe, expect, test } from 'vitest';
import type { DataConnectionRecord } from '../../../lib/domain/data/data-connections.ts';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { DataConnectionStore } from '../../../lib/store/data-connections.ts';
import { auditEvent, newRepository, now, openStore, outcomeOf, placedOn } from './open-store.ts';

let store: Awaited<ReturnType<typeof openStore>>['store'];
beforeAll(async () => {
  ({ store } = await openStore());
});

const connection = (data_connection_id: string): DataConnectionRecord => ({
  data_connection_id,
  uid: `uid of ${data_connection_id}`,
  name: 'A store',
  read_only: false,
  allowed_data_modes: ['open'],
  details: { provider: 's3', bucket: `bucket-of-${data_connection_id}`, base_prefix: '', region: 'eu-west-1' },
  created_at: now,
  version: 1,
  in_use: false,
});

const repository = (repository_id: string, connectionId: string, prefix: string) =>
  newRepository('tides', repository_id, { state: 'unlisted', data: placedOn(connectionId, prefix) });

const event = () => auditEvent('tides');

describe('a first repository on a connection', () => {
  test.each<[string, Partial<DataConnectionRecord>]>([
    ['bucket', { details: { ...connection('x').details, bucket: 'other-bucket' } }],
    ['prefix template', { prefix_template: '{{repository.repository_id}}/{{repository.account_id}}/' }],
  ])('is refused when the %s has changed since the connection was read', async (what, change) => {
    const read = connection(`stale-${what.replace(' ', '-')}`);
    await new DataConnectionStore(store.table).create(read, event());
    await new DataConnectionStore(store.table).replace(read, { ...read, ...change }, event());
    const { data_connection_id: id } = read;
    const create = (on: DataConnectionRecord) =>
      outcomeOf(store.repositories.create(repository(`on-${id}`, id, `tides/${id}/`), on, undefined, event()));
    expect(await create(read)).toBe('conflict');
    // The refused creation left no item in the table that blocks the next creation.
    expect(await create({ ...read, ...change })).toBe('done');
  });
});

test('a prefix of a connection belongs to one repository, whatever its name', async () => {
  const on = connection('placed');
  await new DataConnectionStore(store.table).create(on, event());
  const create = (id: string, connectionRead: DataConnectionRecord) =>
    outcomeOf(store.repositories.create(repository(id, 'placed', 'same/'), connectionRead, undefined, event()));
  expect([await create('one', on), await create('two', { ...on, in_use: true })]).toEqual(['done', 'conflict']);
  const scope = { account_id: 'tides', repository_id: 'two' };
  expect((await store.requestData.readRequestData({ scope })).repository).toBeUndefined();
});

describe('an update of a connection from a stale read is refused', () => {
  test.each<[string, Partial<DataConnectionRecord>]>([
    ['made read-only', { read_only: true }],
    ['given credentials', { sealed_authentication: 'sealed' }],
    ['used by a repository', { in_use: true }],
    ['moved', { details: { ...connection('x').details, base_prefix: 'deep/' } }],
  ])('after it was %s', async (what, change) => {
    const read = connection(`raced-${what.replaceAll(/[^a-z]/g, '')}`.slice(0, 30));
    await new DataConnectionStore(store.table).create(read, event());
    await new DataConnectionStore(store.table).replace(read, { ...read, ...change }, event());
    expect(
      await outcomeOf(new DataConnectionStore(store.table).replace(read, { ...read, name: 'Late' }, event())),
    ).toBe('conflict');
  });
});

test('an update of a repository from a stale read is refused after a change and its reversal', async () => {
  const on = connection('for-versions');
  await new DataConnectionStore(store.table).create(on, event());
  const read = repository('versioned', 'for-versions', 'v/');
  await store.repositories.create(read, on, undefined, event());
  const set = (from: RepositoryRecord, state: 'listed' | 'unlisted') =>
    store.repositories.update({ repository: from, account: { disabled: false } }, { meta: read.meta, state }, event());
  const back = await set(await set(read, 'listed'), 'unlisted');
  expect({ ...back, version: undefined }).toEqual({ ...read, version: undefined });
  expect([await outcomeOf(set(read, 'listed')), await outcomeOf(set(back, 'listed'))]).toEqual(['conflict', 'done']);
});
