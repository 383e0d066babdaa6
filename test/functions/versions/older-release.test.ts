import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { type Key, keys } from '../../../lib/store/keys.ts';
import { versions } from '../../../lib/store/migrations/0009-versions.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { migrate } from '../../lib/store/open-store.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { type Client, startTestService, type TestService } from '../../service/test-service.ts';
import { connection, made, repository, signUpAdmin } from '../people.ts';
import { lookAtTable } from '../table-items.ts';
import { tagOf } from './things.ts';

/** Beside functions of a release that keeps no versions: what they write must not be lost either. */

const table = lookAtTable();
const client = DynamoDBDocumentClient.from(new DynamoDBClient(engineOfThisFile()));
let service: TestService;
let admin: Client;
/** What happens to the table before the next transaction of a request, once. */
let meanwhile: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  service = await startTestService({
    tableName: table.tableName,
    instrument: (instrumented) =>
      instrumented.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            const act = commandName === 'TransactWriteItemsCommand' ? meanwhile : undefined;
            meanwhile = act === undefined ? meanwhile : undefined;
            await act?.();
            return next(args);
          },
        { step: 'initialize', name: 'meanwhile' },
      ),
  });
  await table.stopStream();
  // Before anybody asks: an upgrade has begun.
  await table.putAll([encodeFinished([])]);
  admin = await signUpAdmin(service);
  await made(admin('POST', '/data-connections', connection('store-one')));
});
afterAll(() => service.close());

const owner = 'site-admin';
const meta = { title: 'T', description: 'D', tags: 'a' };
let repositories = 0;
let at: string;
let key: Key;
beforeEach(async () => {
  repositories += 1;
  const id = `r-${repositories}`;
  await made(admin('POST', `/repositories/${owner}`, repository(id, { meta })));
  at = `/repositories/${owner}/${id}`;
  key = keys.repository(owner, id);
});

/** What the older release does: it changes fields and leaves a version as it is. */
async function writtenByOlder(itemKey: Key, changes: Record<string, unknown>): Promise<void> {
  await table.putAll([{ ...(await table.find(itemKey.pk, itemKey.sk)), ...changes }]);
}
const update = (told: object, headers?: Record<string, string>) =>
  admin('PUT', at, { meta: { ...meta, ...told }, state: 'listed' }, headers);

describe('while it still writes', () => {
  test('its change makes a reading of before stale, though the version is the same', async () => {
    const tag = await tagOf(admin, at);
    expect(tag).toMatch(/^"v\d+-[\w-]{16}"$/);
    await writtenByOlder(key, { meta: { ...meta, license: 'MIT' } });
    const after = await tagOf(admin, at);
    expect(after.split('-')[0]).toBe(tag.split('-')[0]);
    expect(await update({}, { 'if-match': tag })).toMatchObject({ status: 412, body: { code: 'stale' } });
    // The version alone vouches for nothing yet.
    expect((await update({}, { 'if-match': `${tag.split('-')[0]}"` })).status).toBe(412);
    expect((await admin('GET', at, undefined, { 'if-none-match': tag })).status).toBe(200);
    expect((await admin('GET', at, undefined, { 'if-none-match': after })).status).toBe(304);
    await made(update({ doi: '10.5281/zenodo.1' }, { 'if-match': after }));
    expect((await admin('GET', at)).body.meta).toEqual({ ...meta, license: 'MIT', doi: '10.5281/zenodo.1' });
  });

  test('its change between the reading and the transaction of a request is kept, or makes the request stale', async () => {
    meanwhile = () => writtenByOlder(key, { meta: { ...meta, license: 'MIT' } });
    await made(update({ doi: '10.5281/zenodo.1' }));
    expect((await admin('GET', at)).body.meta).toEqual({ ...meta, license: 'MIT', doi: '10.5281/zenodo.1' });
    const tag = await tagOf(admin, at);
    meanwhile = () => writtenByOlder(key, { meta: { ...meta, license: 'CC0-1.0' } });
    expect((await update({}, { 'if-match': tag })).status).toBe(412);
  });

  test('what has no version has one all the same, which a change raises', async () => {
    const item = await table.find(key.pk, key.sk);
    const { version, ...unversioned } = item ?? {};
    await table.putAll([unversioned]);
    const tag = await tagOf(admin, at);
    expect(tag).toMatch(/^"v1-/);
    await made(update({}, { 'if-match': tag }));
    expect(await tagOf(admin, at)).toMatch(/^"v2-/);
    expect((await update({}, { 'if-match': tag })).status).toBe(412);
  });

  test('a connection that it replaced, and whose version it dropped, is another to whoever had read it', async () => {
    const place = '/data-connections/store-one';
    const body = connection('store-one');
    await made(admin('PUT', place, body));
    const tag = await tagOf(admin, place);
    const item = await table.find(keys.dataConnection('store-one').pk, keys.dataConnection('store-one').sk);
    const { version, ...unversioned } = { ...item, sealed_authentication: 'sealed anew' } as Record<string, unknown>;
    await table.putAll([{ ...unversioned, name: 'By another' }]);
    expect((await admin('DELETE', place, undefined, { 'if-match': tag })).status).toBe(412);
    await made(admin('DELETE', place));
    await table.putAll([item ?? {}]);
  });

  test.each([
    ['profile', { profile: { bio: 'Its own' } }, { name: 'N' }],
    ['flags', { flags: ['create_repositories'] }, []],
  ])('its change of the %s of an account makes a reading of that stale', async (part, changes, body) => {
    const id = `org-${part}`;
    await made(admin('POST', '/accounts', { account_id: id, account_type: 'organization', profile: {} }));
    const [whole, shown] = [await tagOf(admin, `/accounts/${id}`), await tagOf(admin, `/accounts/${id}/${part}`)];
    await writtenByOlder(keys.account(id), changes);
    const set = (tag: string) => admin('PUT', `/accounts/${id}/${part}`, body, { 'if-match': tag });
    for (const tag of [whole, shown]) {
      expect((await set(tag)).status).toBe(412);
    }
    for (const tag of [await tagOf(admin, `/accounts/${id}`), await tagOf(admin, `/accounts/${id}/${part}`)]) {
      expect((await admin('GET', `/accounts/${id}/${part}`, undefined, { 'if-none-match': tag })).status).toBe(304);
    }
    await made(set(await tagOf(admin, `/accounts/${id}/${part}`)));
  });

  test('the tag of a profile, which everybody sees, does not tell what flags the account has', async () => {
    const path = `/accounts/${owner}/profile`;
    const before = (await service.anyone('GET', path)).headers.get('etag');
    await writtenByOlder(keys.account(owner), { flags: ['create_organizations'] });
    expect((await service.anyone('GET', path)).headers.get('etag')).toBe(before);
    await writtenByOlder(keys.account(owner), { flags: [] });
  });
});

test('the migration gives every thing its version, raises none, and closed makes the version alone the tag', async () => {
  const item = await table.find(key.pk, key.sk);
  const { version, ...unversioned } = item ?? {};
  await table.putAll([unversioned]);
  const before = await tagOf(admin, at);
  const opened = { client: client as unknown as DynamoDBClient, tableName: table.tableName };
  await migrate(opened, [versions]);
  expect(await table.find(key.pk, key.sk)).toMatchObject({ version: 1 });
  expect(await tagOf(admin, at)).toBe(before);
  // Written by the older release after the first run.
  await table.putAll([{ ...unversioned, meta: { ...meta, license: 'MIT' } }]);
  const late = await tagOf(admin, at);
  expect(late).not.toBe(before);
  expect((await migrate(opened, [versions], { isFinishing: true })).reports).toMatchObject([{ outcome: 'finished' }]);
  service.advance(limits.unfinishedMigrationsAgeMaxSeconds + 1);
  expect(await tagOf(admin, at)).toBe('"v1"');
  // What was read just before still counts for the fields it vouches for, and nothing older does.
  expect((await update({}, { 'if-match': before })).status).toBe(412);
  expect((await admin('GET', at, undefined, { 'if-none-match': late })).status).toBe(304);
  await made(update({}, { 'if-match': late }));
  expect(await tagOf(admin, at)).toBe('"v2"');
});
