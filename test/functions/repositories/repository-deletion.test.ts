import { describe, expect, test, vi } from 'vitest';
import type { Client } from '../../service/test-service.ts';
import { inBatches, made, newKey } from '../users.ts';
import { connectionId, type Given, lifecycleFixture, organization } from './lifecycle-fixture.ts';

// The timeout is longer than the default, because the tests wait for stream consumers.
vi.setConfig({ testTimeout: 120_000 });

const service = await lifecycleFixture();

const pathOf = (repository_id: string, account_id: string = organization) =>
  `/repositories/${account_id}/${repository_id}`;
const remove = (by: Client, repository_id: string, confirm = `${organization}/${repository_id}`) =>
  by('POST', `${pathOf(repository_id)}/delete`, { confirm });
const kinds = ['a grant', 'a membership', "the repository's key"] as const;

/** Returns the current rights of each holder in the repository, through the data proxy and the API. */
async function reach({ repository_id, holders }: Given) {
  const each = await Promise.all(
    kinds.map(async (kind) => [
      kind,
      [await service.write(holders[kind], repository_id), await service.read(holders[kind], repository_id)],
    ]),
  );
  const manages = (await service.grace('GET', `${pathOf(repository_id)}/members`)).status;
  const keyIs = (await holders["the repository's key"].api?.('GET', '/whoami'))?.status;
  const listed = (await service.grace('GET', `/repositories/${organization}`)).body.map(
    (each: { repository_id: string }) => each.repository_id,
  );
  return { ...Object.fromEntries(each), manages, keyIs, isListed: listed.includes(repository_id) };
}
const everything = {
  ...Object.fromEntries(kinds.map((kind) => [kind, ['done', 'done']])),
  manages: 200,
  keyIs: 200,
  isListed: true,
};

describe('deleting a repository', () => {
  test('removes it permanently, and the answer has the location of its objects, which stay there', async () => {
    const given = await service.given();
    const { repository_id } = given;
    expect(await reach(given)).toEqual(everything);
    await made(service.ada('POST', `${pathOf(repository_id)}/disable`));
    expect(await remove(service.ada, repository_id)).toMatchObject({
      status: 200,
      body: {
        account_id: organization,
        repository_id,
        places: [{ data_connection_id: connectionId, prefix: `${organization}/${repository_id}/` }],
      },
    });
    expect((await service.ada('GET', pathOf(repository_id))).status).toBe(404);
    expect((await remove(service.ada, repository_id)).status).toBe(404);
    const { body: events } = await service.ada('GET', `/accounts/${organization}/audit-events?kind=repository.deleted`);
    expect(events[0]).toMatchObject({ subject: { repository_id }, actor: { account_id: 'ada' } });
    // A new repository with the same account ID and repository ID has the same storage prefix, with the objects in it.
    await made(service.create(repository_id));
    const ofAda = await newKey(service, service.ada, '/accounts/ada');
    service.pass(301);
    expect(await service.read(ofAda, repository_id)).toBe('done');
  });

  test('requires a disabled repository and its name in the body', async () => {
    const { repository_id } = await service.given();
    expect(await remove(service.ada, repository_id)).toMatchObject({
      status: 409,
      body: { detail: 'The repository is enabled; disable it first' },
    });
    await made(service.ben('POST', `${pathOf(repository_id)}/disable`));
    expect((await remove(service.admin, repository_id)).body.detail).toContain('Its owners or maintainers disabled it');
    expect(await remove(service.ada, repository_id, repository_id)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'confirm', message: `must be "${organization}/${repository_id}"` }] },
    });
    expect((await remove(service.ada, repository_id)).status).toBe(200);
  });

  test('requires an administrator after one disabled it, and the audit event names the platform as the actor', async () => {
    const { repository_id } = await service.given();
    await made(service.ada('POST', `${pathOf(repository_id)}/disable`));
    await made(service.admin('POST', `${pathOf(repository_id)}/disable`));
    const refused = await remove(service.ada, repository_id);
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.body.detail).toContain('An administrator disabled this; ask one to delete it');
    expect((await remove(service.admin, repository_id)).status).toBe(200);
    const { body: events } = await service.ada('GET', `/accounts/${organization}/audit-events?kind=repository.deleted`);
    expect(events[0]).toMatchObject({ actor: { account_id: 'site-admin', acting_as: 'platform_admin' } });
  });

  test('succeeds once for two concurrent requests', async () => {
    await inBatches(10, 5, async () => {
      const repository_id = service.newId();
      await made(service.create(repository_id));
      await made(service.ada('POST', `${pathOf(repository_id)}/disable`));
      const answers = await Promise.all([1, 2, 3].map(() => remove(service.ada, repository_id)));
      expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
      expect(answers.every(({ status }) => [200, 404, 409].includes(status))).toBe(true);
    });
  });
});

describe('a repository with the name of a deleted one', () => {
  test('has none of the old rights before and after the stream is processed, and in no cache', async () => {
    const given = await service.given();
    const { repository_id } = given;
    expect(await reach(given)).toEqual(everything);
    const uid = await service.uidOf(repository_id);
    const letGo = service.holdRemoval();
    await service.remove(repository_id);
    await made(service.create(repository_id));
    // The stream consumer has not removed any item yet.
    expect((await service.remains(uid)).length).toBeGreaterThanOrEqual(4);
    expect((await service.ada('GET', `${pathOf(repository_id)}/members`)).body).toEqual([]);
    expect((await service.ada('GET', `${pathOf(repository_id)}/api-keys`)).body).toEqual([]);
    const nothing = {
      'a grant': ['AccessDenied', 'AccessDenied'],
      'a membership': ['AccessDenied', 'AccessDenied'],
      "the repository's key": ['AccessDenied', 'AccessDenied'],
      manages: 403,
      keyIs: 401,
      isListed: false,
    };
    const moves = ['accept', 'update-role'] as const;
    for (const move of moves) {
      const body = move === 'accept' ? undefined : '"read_data"';
      expect(
        (await service.ada('POST', `/memberships/${given.membership_id}/${move}`, body)).status,
      ).toBeGreaterThanOrEqual(403);
    }
    // The longest TTLs at the edge: one minute for writes, five minutes for restricted reads.
    service.pass(301);
    expect(await reach(given)).toEqual(nothing);
    expect(await service.buckets(given.holders["the repository's key"])).toEqual([]);
    letGo();
    await service.nothingRemains(uid);
    service.pass(301);
    expect(await reach(given)).toEqual({
      ...nothing,
      "the repository's key": ['InvalidAccessKeyId', 'InvalidAccessKeyId'],
    });
  });

  test('can be created at once, and the cleanup of the old one does not remove new rights', async () => {
    const given = await service.given();
    const { repository_id } = given;
    const uid = await service.uidOf(repository_id);
    const letGo = service.holdRemoval();
    await service.remove(repository_id);
    const again = await service.given(repository_id);
    service.pass(301);
    expect(await reach(again)).toEqual(everything);
    letGo();
    await service.nothingRemains(uid);
    service.pass(301);
    expect(await reach(again)).toEqual(everything);
    expect((await service.ada('GET', `${pathOf(repository_id)}/members`)).body).toHaveLength(1);
    const { body: mine } = await service.grace('GET', '/whoami');
    const states = mine.memberships
      .filter((each: { repository_id: string }) => each.repository_id === repository_id)
      .map((each: { state: string }) => each.state);
    expect(states.toSorted()).toEqual(['member', 'revoked']);
    const granted = (await service.ada('GET', '/service-accounts/tide-institute--nightly-sync/grants')).body;
    expect(granted.filter((each: { repository_id: string }) => each.repository_id === repository_id)).toHaveLength(1);
  });

  test('publishes no old objects unless the request confirms it', async () => {
    const { repository_id } = await service.given();
    await service.remove(repository_id);
    const refused = await service.create(repository_id, { data_mode: 'open' });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.body.detail).toContain('"adopt_objects": true');
    expect((await service.create(repository_id, { data_mode: 'subscription' })).status).toBe(409);
    await made(service.create(repository_id, { data_mode: 'open', adopt_objects: true }));
    await service.remove(repository_id);
    await made(service.create(repository_id));
  });

  test('publishes no old objects when it is opened later unless the request confirms it, also after a transfer', async () => {
    const { repository_id } = await service.given();
    const open = (body: object, by: Client = service.ada, account_id: string = organization) =>
      by('PUT', `${pathOf(repository_id, account_id)}/data-mode`, { data_mode: 'open', ...body });
    await service.remove(repository_id);
    await made(service.create(repository_id));
    for (const data_mode of ['open', 'subscription']) {
      const refused = await open({ data_mode });
      expect(refused).toMatchObject({ status: 409, body: { code: 'adoption_required' } });
      expect(refused.body.detail).toContain('"adopt_objects": true');
    }
    expect((await open({ adopt_objects: false })).status).toBe(409);
    // A transfer does not remove the restriction of the repository.
    const offers = `${pathOf(repository_id)}/transfers`;
    const { body: offer } = await made(service.ada('POST', offers, { to: 'ben' }));
    await made(service.ben('POST', `/transfers/${offer.transfer_id}/accept`));
    expect((await open({}, service.ben, 'ben')).body.code).toBe('adoption_required');
    await made(open({ adopt_objects: true }, service.ben, 'ben'));
    await made(open({ data_mode: 'private' }, service.ben, 'ben'));
    // One confirmation is enough.
    await made(open({}, service.ben, 'ben'));
  });

  test('opens without a second confirmation if its objects were confirmed when it was made private', async () => {
    const { repository_id } = await service.given();
    await service.remove(repository_id);
    await made(service.create(repository_id, { adopt_objects: true }));
    await made(service.ada('PUT', `${pathOf(repository_id)}/data-mode`, { data_mode: 'open' }));
  });

  test('has its own storage prefix under the same ID of another account', async () => {
    const { repository_id } = await service.given();
    await service.remove(repository_id);
    const { body } = await made(service.create(repository_id, {}, 'grace'));
    expect(body.data.mirrors[connectionId].prefix).toBe(`grace/${repository_id}/`);
  });

  test('is created once by two concurrent requests, and a concurrent deletion leaves a complete repository or none', async () => {
    await inBatches(10, 5, async () => {
      const repository_id = service.newId();
      await made(service.create(repository_id));
      await made(service.ada('POST', `${pathOf(repository_id)}/disable`));
      const [deleted, ...created] = await Promise.all([
        remove(service.ada, repository_id),
        service.create(repository_id),
        service.create(repository_id),
      ]);
      expect(deleted?.status).toBe(200);
      expect(created.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
      expect(created.every(({ status }) => status === 201 || status === 409)).toBe(true);
      const isThere = created.some(({ status }) => status === 201);
      expect((await service.ada('GET', pathOf(repository_id))).status).toBe(isThere ? 200 : 404);
      if (!isThere) await made(service.create(repository_id));
    });
  });
});
