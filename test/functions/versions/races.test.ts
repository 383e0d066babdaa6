import { describe, expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { keys } from '../../../lib/store/keys.ts';
import { type Client, testService } from '../../service/test-service.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { lookAtTable } from '../table-items.ts';
import {
  addMember,
  connection,
  createOrganization,
  inBatches,
  made,
  repository,
  signUp,
  signUpAdmin,
} from '../users.ts';
import { tagOf } from './things.ts';

/** Two users edit one resource concurrently, on the real engine. */

const table = lookAtTable();
/** Runs once, before the next transaction of a request. */
let meanwhile: (() => Promise<unknown>) | undefined;
const service = await testService({
  tableName: table.tableName,
  instrument: watchRequests(async ({ command }) => {
    const act = command === 'TransactWriteItemsCommand' ? meanwhile : undefined;
    if (act === undefined) return;
    meanwhile = undefined;
    await act();
  }).instrument,
});
await table.stopStream();
const admin = await signUpAdmin(service);
const ben = await signUp(service, 'ben');
await createOrganization(admin, 'tides');
await addMember(admin, 'tides', ben, 'ben', 'owners');
await made(admin('POST', '/data-connections', connection('store-one')));

const meta = { title: 'T', description: 'D', tags: 'a' };
const path = (id: string) => `/repositories/tides/${id}`;
const newRepository = async (id: string) => {
  await made(admin('POST', '/repositories/tides', repository(id)));
  return path(id);
};
const update = (client: Client, at: string, told: object, headers?: Record<string, string>) =>
  client('PUT', at, { meta: { ...meta, ...told }, state: 'listed' }, headers);

describe('with `If-Match`,', () => {
  test('one of two updates from the same read succeeds, and the other gets `stale`', async () => {
    await inBatches(20, 5, async (round) => {
      const at = await newRepository(`raced-${round}`);
      const tag = { 'if-match': await tagOf(ben, at) };
      const told = [{ license: 'MIT' }, { license: 'CC-BY-4.0' }];
      const answers = await Promise.all([update(admin, at, told[0] ?? {}, tag), update(ben, at, told[1] ?? {}, tag)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const won = answers.find(({ status }) => status === 200);
      expect((await admin('GET', at)).body).toEqual(won?.body);
      expect(answers.find(({ status }) => status === 412)?.body.code).toBe('stale');
    });
  });

  test('a change between the read and the transaction of a request makes the request stale', async () => {
    const at = await newRepository('between');
    const tag = await tagOf(admin, at);
    meanwhile = () => made(update(ben, at, { license: 'MIT' }));
    expect(await update(admin, at, { doi: '10.5281/zenodo.1' }, { 'if-match': tag })).toMatchObject({ status: 412 });
    expect((await admin('GET', at)).body.meta).toEqual({ ...meta, license: 'MIT' });
  });

  test('the later of an edit and a deletion from one read is stale', async () => {
    const at = await newRepository('ended');
    await made(admin('POST', `${at}/disable`));
    const tag = { 'if-match': await tagOf(admin, at) };
    await made(update(ben, at, {}));
    expect((await admin('POST', `${at}/delete`, { confirm: 'tides/ended' }, tag)).status).toBe(412);
    expect((await admin('GET', at)).status).toBe(200);
  });
});

describe('without `If-Match`,', () => {
  test('two concurrent updates of different fields both persist', async () => {
    await inBatches(20, 5, async (round) => {
      const at = await newRepository(`merged-${round}`);
      await made(update(admin, at, { citation: 'before' }));
      const told = [{ license: 'MIT' }, { doi: '10.5281/zenodo.1' }, { citation: null }];
      await Promise.all(told.map((fields, index) => made(update(index === 0 ? admin : ben, at, fields))));
      expect((await admin('GET', at)).body.meta).toEqual({ ...meta, license: 'MIT', doi: '10.5281/zenodo.1' });
    });
  });

  test('an update that conflicts with a disabling changes the disabled record, and does not enable it', async () => {
    const at = await newRepository('disabled');
    meanwhile = () => made(ben('POST', `${at}/disable`));
    expect((await made(update(admin, at, { license: 'MIT' }))).body).toMatchObject({
      disabled: true,
      meta: { license: 'MIT' },
    });
  });

  test('a change that conflicts with the removal of its right is refused', async () => {
    const at = await newRepository('taken-over');
    await made(ben('POST', `${at}/disable`));
    // An administrator also disables the account, so its owners can no longer enable it.
    meanwhile = async () => {
      const { pk, sk } = keys.repository('tides', 'taken-over');
      const item = await table.find(pk, sk);
      await table.putAll([{ ...item, disabled_by: 'admin', version: Number(item?.['version']) + 1 }]);
    };
    expect((await ben('POST', `${at}/enable`)).status).toBe(403);
    expect((await admin('GET', at)).body.disabled).toBe(true);
  });

  test('an update without credentials preserves those that another update stored at the same time', async () => {
    const id = 'sealed';
    const stored = (changes: object) =>
      connection(id, { details: { ...connection(id).details, base_prefix: '_s/' }, ...changes });
    const { authentication, ...renamed } = stored({ name: 'Renamed' });
    await made(admin('POST', '/data-connections', stored({})));
    const newer = { ...authentication, secret_access_key: 'newer-secret' };
    meanwhile = () => made(admin('PUT', `/data-connections/${id}`, stored({ authentication: newer })));
    await made(admin('PUT', `/data-connections/${id}`, renamed));
    expect((await admin('GET', `/data-connections/${id}`)).body).toEqual(
      stored({ name: 'Renamed', authentication: newer }),
    );
  });

  test('concurrent changes of the flags and of four profile fields all persist', async () => {
    await inBatches(5, 1, async (round) => {
      const fields = { name: 'n', bio: 'b', location: 'l', url: 'https://tides.example/' };
      const told = Object.entries(fields).map(([field, value]) => ({ [field]: `${value}${round}` }));
      await Promise.all([
        ...told.map((body) => made(admin('PUT', '/accounts/tides/profile', body))),
        made(admin('PUT', '/accounts/tides/flags', round % 2 === 0 ? ['create_repositories'] : [])),
      ]);
      expect((await admin('GET', '/accounts/tides')).body).toMatchObject({
        profile: Object.assign({}, ...told),
        flags: round % 2 === 0 ? ['create_repositories'] : [],
      });
    });
  });

  test('an update that conflicts on every attempt returns a conflict and stops', async () => {
    const at = await newRepository('busy');
    let overtaken = 0;
    const overtake = async () => {
      overtaken += 1;
      await made(update(ben, at, { contact: `n${overtaken}` }));
      meanwhile = overtake;
    };
    meanwhile = overtake;
    const answer = await update(admin, at, { license: 'MIT' });
    meanwhile = undefined;
    expect(answer).toMatchObject({ status: 409, body: { code: 'concurrent_change' } });
    expect(overtaken).toBe(limits.changeTriesMax);
  });
});
