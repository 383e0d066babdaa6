import { describe, expect, test, vi } from 'vitest';
import { made, newKey, signUp } from '../users.ts';
import { connectionId, type LifecycleFixture, lifecycleFixture, organization } from './lifecycle-fixture.ts';

// The timeout is longer than the default, because the tests wait for stream consumers.
vi.setConfig({ testTimeout: 120_000 });

const service = await lifecycleFixture();
// Moves the clock by 8 days, because new accounts may send only a few invitations a day.
service.pass(8 * 86_400);

type By = LifecycleFixture['ada'];
const pathOf = (repository_id: string, account_id: string = organization) =>
  `/repositories/${account_id}/${repository_id}`;
const overview = (by: By, account_id: string, repository_id: string) =>
  by('GET', `${pathOf(repository_id, account_id)}/overview`);
const offer = (by: By, repository_id: string, to: string, account_id: string = organization) =>
  by('POST', `${pathOf(repository_id, account_id)}/transfers`, { to });
const answer = (by: By, transfer_id: string, move: 'accept' | 'decline' | 'withdraw') =>
  by('POST', `/transfers/${transfer_id}/${move}`);
const offersOf = async (by: By, account_id: string) =>
  (await made(by('GET', `/accounts/${account_id}/transfers`))).body as { transfer_id: string }[];
const offered = async (repository_id: string, to: string, account_id: string = organization, by: By = service.ada) =>
  String((await made(offer(by, repository_id, to, account_id))).body.transfer_id);
const newUser = async () => {
  const account_id = service.newId().replace('buoys', 'person');
  return { account_id, client: await signUp(service, account_id) };
};
/** Transfers a repository of the organization to a new user. */
async function transferred(changes: Record<string, unknown> = {}) {
  const repository_id = service.newId();
  await made(service.create(repository_id, changes));
  const { account_id, client } = await newUser();
  await made(answer(client, await offered(repository_id, account_id), 'accept'));
  return { repository_id, account_id, client };
}

describe('an offer', () => {
  test('is in the lists of both accounts until it is answered, and in both audit trails', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    const { account_id: to, client } = await newUser();
    const { status, body } = await offer(service.ada, repository_id, to);
    expect(status).toBe(201);
    expect(body).toMatchObject({ account_id: organization, repository_id, to, state: 'offered' });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(14 * 86_400_000);
    const listed = { ...body, account_name: 'Tide Institute', to_name: null };
    expect(await offersOf(client, to)).toEqual([listed]);
    expect(await offersOf(service.ada, organization)).toContainEqual(listed);
    expect(await answer(client, body.transfer_id, 'decline')).toMatchObject({
      status: 200,
      body: { transfer_id: body.transfer_id, state: 'declined' },
    });
    expect(await offersOf(client, to)).toEqual([]);
    expect(await offersOf(service.ada, organization)).not.toContainEqual(expect.objectContaining({ to }));
    expect((await answer(client, body.transfer_id, 'accept')).body.detail).toBe(
      'This offer is no longer open: it was declined; create a new one',
    );
    const subject = { transfer_id: body.transfer_id, account_id: organization, repository_id, to };
    const trail = async (by: By, account_id: string) => {
      const events = (await made(by('GET', `/accounts/${account_id}/audit-events`))).body;
      return events
        .filter((event: { subject: { transfer_id?: string } }) => event.subject.transfer_id === body.transfer_id)
        .map(({ kind, actor, subject }: { kind: string; actor: { account_id: string }; subject: object }) => {
          return [kind, { account_id: actor.account_id }, subject];
        });
    };
    expect(await trail(client, to)).toEqual([
      ['transfer.declined', { account_id: to }, subject],
      // Only the organization sees which user acted for it in the audit trail.
      ['transfer.offered', { account_id: organization }, subject],
    ]);
    expect(await trail(service.ada, organization)).toEqual([
      ['transfer.declined', { account_id: to }, subject],
      ['transfer.offered', { account_id: 'ada' }, subject],
    ]);
  });

  test('requires an enabled repository and another, enabled account', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    const { account_id: to } = await newUser();
    const { account_id: disabled } = await newUser();
    await made(service.admin('POST', `/accounts/${disabled}/disable`));
    for (const nobody of [organization, 'nobody-at-all', disabled, `${organization}--nightly-sync`]) {
      expect((await offer(service.ada, repository_id, nobody)).status).toBe(400);
    }
    await made(offer(service.ada, repository_id, to));
    expect((await offer(service.ada, repository_id, to)).body.detail).toContain(`is offered to ${to} already`);
    await made(service.ben('POST', `${pathOf(repository_id)}/disable`));
    const { account_id: another } = await newUser();
    expect((await offer(service.ada, repository_id, another)).body.detail).toBe(
      'The repository is disabled; enable it before you offer it',
    );
  });

  test('cannot be accepted after it was withdrawn', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    const { account_id, client } = await newUser();
    const transfer_id = await offered(repository_id, account_id);
    expect((await answer(service.ada, transfer_id, 'withdraw')).body.state).toBe('withdrawn');
    expect((await answer(client, transfer_id, 'accept')).status).toBe(409);
    expect((await made(service.ada('GET', pathOf(repository_id)))).status).toBe(200);
  });

  test('counts as an invitation to the user, who can block the sending account', async () => {
    const [first, second, third] = [service.newId(), service.newId(), service.newId()];
    for (const id of [first, second, third]) await made(service.create(id));
    const { account_id: to, client } = await newUser();
    await made(service.ada('POST', `/accounts/${organization}/members`, { account_id: to, role: 'read_data' }));
    await made(offer(service.ada, first, to));
    const transfer_id = await offered(second, to);
    expect((await offer(service.ada, third, to)).body.detail).toContain('at most 3 open invitations to one account');
    await made(answer(client, transfer_id, 'decline'));
    expect((await offer(service.ada, third, to)).body.detail).toContain('rejected one in the last 24 hours');
    const { account_id: other, client: blocking } = await newUser();
    await made(blocking('PUT', `/accounts/${other}/blocked-accounts/${organization}`));
    expect((await offer(service.ada, third, other)).body.detail).toContain('accepts no invitation of');
  });

  test('ends after 14 days, before and after its TTL removes it', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    const { account_id: to, client } = await newUser();
    const transfer_id = await offered(repository_id, to);
    const item = await service.table.find(`TRANSFER#${transfer_id}`, 'TRANSFER');
    const [{ expires_at }] = (await offersOf(client, to)) as unknown as [{ expires_at: string }];
    expect(item?.['ttl']).toBe(Math.ceil(Date.parse(expires_at) / 1000));
    service.pass(14 * 86_400 + 1);
    expect(await offersOf(client, to)).toEqual([]);
    const refused = await answer(client, transfer_id, 'accept');
    // The expiry or the deletion may come first. In both cases, no account can accept the transfer.
    expect([403, 409]).toContain(refused.status);
    await service.ttl.runOnce();
    await service.eventually(async () => {
      const { body: events } = await made(client('GET', `/accounts/${to}/audit-events?kind=transfer.ended`));
      expect(events).toMatchObject([{ actor: { account_id: null }, subject: { transfer_id } }]);
      const { body: theirs } = await made(
        service.ada('GET', `/accounts/${organization}/audit-events?kind=transfer.ended`),
      );
      expect(theirs).toContainEqual(expect.objectContaining({ subject: expect.objectContaining({ transfer_id }) }));
    });
    await made(offer(service.ada, repository_id, to));
  });

  test('ends with its repository', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    const { account_id, client } = await newUser();
    const transfer_id = await offered(repository_id, account_id);
    const uid = await service.uidOf(repository_id);
    const letGo = service.holdRemoval();
    await service.remove(repository_id);
    await made(service.create(repository_id));
    expect((await answer(client, transfer_id, 'accept')).body.detail).toContain('was deleted or transferred');
    // The new repository can be offered to the same account before the stream is processed.
    const again = await offered(repository_id, account_id);
    letGo();
    await service.nothingRemains(uid);
    expect((await offersOf(client, account_id)).map((each) => each.transfer_id)).toEqual([again]);
    expect((await answer(client, transfer_id, 'decline')).status).toBe(409);
    await made(answer(client, again, 'accept'));
  });
});

describe('the acceptance of a transfer', () => {
  test('keeps the content and the storage prefix of the repository, under a new internal ID', async () => {
    const repository_id = service.newId();
    const { body: before } = await made(service.create(repository_id));
    const uid = await service.uidOf(repository_id);
    const { account_id, client } = await newUser();
    const transfer_id = await offered(repository_id, account_id);
    expect((await made(answer(client, transfer_id, 'accept'))).body).toMatchObject({ transfer_id, state: 'accepted' });
    const { body: there } = await made(client('GET', pathOf(repository_id, account_id)));
    expect(there).toEqual({ ...before, account_id, updated: there.updated });
    expect(Date.parse(there.updated)).toBeGreaterThan(Date.parse(before.updated));
    expect(await service.uidOf(repository_id, account_id)).not.toBe(uid);
    expect((await service.ada('GET', pathOf(repository_id))).status).toBe(404);
    expect((await service.ada('GET', pathOf(repository_id, account_id))).status).toBe(403);
    // Transfers the repository back to its first account.
    const back = await offered(repository_id, organization, account_id, client);
    await made(answer(service.ada, back, 'accept'));
    expect((await made(service.ada('GET', pathOf(repository_id)))).body).toEqual({
      ...before,
      updated: expect.anything(),
    });
    expect((await service.ada('GET', pathOf(repository_id, account_id))).status).toBe(403);
  });

  test('leaves a second offer of the same repository to another account without effect', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    const [one, other] = [await newUser(), await newUser()];
    const first = await offered(repository_id, one.account_id);
    const second = await offered(repository_id, other.account_id);
    await made(answer(one.client, first, 'accept'));
    expect((await answer(other.client, second, 'accept')).status).toBe(409);
    await service.eventually(async () => expect(await offersOf(other.client, other.account_id)).toEqual([]));
  });

  test('requires the right to use its data connection, a mode that the connection allows, and a free ID', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    const { account_id, client } = await newUser();
    const transfer_id = await offered(repository_id, account_id);
    const path = `/data-connections/${connectionId}`;
    const { body: connection } = await made(service.admin('GET', path));
    const change = (changes: object) => made(service.admin('PUT', path, { ...connection, ...changes }));
    await change({ required_flag: 'create_repositories' });
    expect((await answer(client, transfer_id, 'accept')).body.detail).toContain(
      'a data connection that you may not use',
    );
    await change({ allowed_data_modes: ['open'] });
    expect((await answer(client, transfer_id, 'accept')).body.detail).toContain(
      'is private, and its data connection allows open',
    );
    await change({});
    await made(
      client('POST', `/repositories/${account_id}`, {
        repository_id,
        data_mode: 'private',
        meta: { title: 'Buoys', description: '', tags: '' },
        data_connection_id: connectionId,
      }),
    );
    expect(await answer(client, transfer_id, 'accept')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(`${account_id} has a repository ${repository_id} already`) },
    });
    await service.remove(repository_id, account_id, client);
    await made(answer(client, transfer_id, 'accept'));
  });

  test('is refused from a disabled account and to a disabled account', async () => {
    const repository_id = service.newId();
    await made(service.create(repository_id));
    await made(
      service.grace('POST', '/accounts', {
        account_id: `of-${repository_id}`,
        account_type: 'organization',
        profile: {},
      }),
    );
    const transfer_id = await offered(repository_id, `of-${repository_id}`);
    await made(service.admin('POST', `${pathOf(repository_id)}/disable`));
    expect((await answer(service.grace, transfer_id, 'accept')).body.detail).toContain('is disabled; ask its owners');
    await made(service.admin('POST', `${pathOf(repository_id)}/enable`));
    await made(service.grace('POST', `/accounts/of-${repository_id}/disable`));
    expect((await answer(service.grace, transfer_id, 'accept')).body.detail).toContain('is disabled; enable it first');
    await made(service.grace('POST', `/accounts/of-${repository_id}/enable`));
    await made(answer(service.grace, transfer_id, 'accept'));
    expect((await made(service.grace('GET', pathOf(repository_id, `of-${repository_id}`)))).status).toBe(200);
  });
});

describe('a transferred repository', () => {
  const kinds = ['a grant', 'a membership', "the repository's key"] as const;

  test('has no old grants under either path, not from a cache, and not before the stream is processed', async () => {
    const given = await service.given();
    const { repository_id, holders } = given;
    for (const kind of kinds) expect(await service.write(holders[kind], repository_id)).toBe('done');
    const uid = await service.uidOf(repository_id);
    const { account_id, client } = await newUser();
    const letGo = service.holdRemoval();
    await made(answer(client, await offered(repository_id, account_id), 'accept'));
    expect((await service.remains(uid)).length).toBeGreaterThanOrEqual(4);
    service.pass(301);
    const reach = async (at: string) =>
      Promise.all(
        kinds.flatMap((kind) => [
          service.write(holders[kind], repository_id, at),
          service.read(holders[kind], repository_id, at),
        ]),
      );
    const denied = kinds.flatMap(() => ['AccessDenied', 'AccessDenied']);
    expect(await reach(organization)).toEqual(denied);
    expect(await reach(account_id)).toEqual(denied);
    expect((await holders["the repository's key"].api?.('GET', '/whoami'))?.status).toBe(401);
    // A new repository under the old path has its own storage prefix and none of the objects.
    const { body: again } = await made(service.create(repository_id));
    expect(again.data.mirrors[connectionId].prefix).toMatch(
      new RegExp(`^${organization}/${repository_id}\\.[0-9a-f]{8}/$`),
    );
    service.pass(301);
    expect(await reach(organization)).toEqual(denied);
    letGo();
    await service.nothingRemains(uid);
    service.pass(301);
    expect(new Set(await reach(organization))).toEqual(new Set(['AccessDenied', 'InvalidAccessKeyId']));
    expect(new Set(await reach(account_id))).toEqual(new Set(['AccessDenied', 'InvalidAccessKeyId']));
    const { credentials } = await newKey(service, client, `/accounts/${account_id}`);
    // The objects moved together with the repository.
    expect(await service.read({ credentials }, repository_id, account_id)).toBe('done');
  });

  test('redirects from its old path, over at most two transfers, until another repository takes that path', async () => {
    const { repository_id, account_id, client } = await transferred({ data_mode: 'private' });
    const isFoundAt = async (by: By, former: string) => (await overview(by, former, repository_id)).body.repository;
    expect(await isFoundAt(client, organization)).toMatchObject({ account_id, repository_id });
    const next = await newUser();
    await made(answer(next.client, await offered(repository_id, next.account_id, account_id, client), 'accept'));
    for (const former of [organization, account_id]) {
      expect(await isFoundAt(next.client, former)).toMatchObject({ account_id: next.account_id });
    }
    expect((await overview(client, organization, repository_id)).status).toBe(403);
    await made(service.create(repository_id, { data_mode: 'private' }));
    expect((await overview(next.client, organization, repository_id)).status).toBe(403);
    expect(await isFoundAt(next.client, account_id)).toMatchObject({ account_id: next.account_id });
    // A new repository with the name of the deleted one is not the destination of the redirect.
    await service.remove(repository_id, next.account_id, next.client);
    expect((await overview(next.client, account_id, repository_id)).status).toBe(403);
    await made(
      next.client('POST', `/repositories/${next.account_id}`, {
        repository_id,
        data_mode: 'private',
        meta: { title: 'Buoys', description: '', tags: '' },
        data_connection_id: connectionId,
      }),
    );
    expect((await overview(next.client, account_id, repository_id)).status).toBe(403);
  });

  test('redirects only callers who may read it, and browsers cache the redirect for a minute', async () => {
    const { repository_id, account_id } = await transferred({ data_mode: 'open' });
    const path = `${pathOf(repository_id)}/overview`;
    const moved = await fetch(`${service.apiUrl}/api/v1${path}`, { redirect: 'manual' });
    expect(moved.status).toBe(308);
    expect(moved.headers.get('location')).toBe(`/api/v1${pathOf(repository_id, account_id)}/overview`);
    expect(moved.headers.get('cache-control')).toBe('no-store');
    const hidden = await transferred({ data_mode: 'private' });
    const refused = await overview(service.ben, organization, hidden.repository_id);
    expect(refused.status).toBe(403);
    const { request_id: _, ...shown } = refused.body;
    const { request_id: __, ...ofAbsent } = (await overview(service.ben, organization, 'never-was')).body;
    expect(shown).toEqual(ofAbsent);
  });

  test('removes the redirect when it returns to a path', async () => {
    const { repository_id, account_id, client } = await transferred();
    const back = await offered(repository_id, organization, account_id, client);
    await made(answer(service.ada, back, 'accept'));
    for (const former of [organization, account_id]) {
      expect((await overview(service.ada, former, repository_id)).body.repository.account_id).toBe(organization);
    }
  });
});

describe('the redirect from the old path of an open repository', async () => {
  const { repository_id, account_id } = await transferred({ data_mode: 'open' });

  test.each([
    ['/api/v1/repositories/old/overview', '?x=y', '/api/v1/repositories/new/overview'],
    ['/api/v1/repositories/old/versions', '?limit=7&cursor=a', '/api/v1/repositories/new/versions?limit=7'],
    ['/old', '', '/new'],
    ['/old', '?version=v1&utm_source=x', '/new?version=v1'],
    ['/old/a%20b/c%26d%3F.csv', '?version=v1', '/new?path=a+b%2Fc%26d%3F.csv&version=v1'],
    ['/-/preview/old', '?path=//a.example/%0d%0ab&frame=1', '/-/preview/new?path=%2F%2Fa.example%2F%0D%0Ab&frame=1'],
    [
      '/-/versions/old',
      `?compare=v1&cursor=2026-01-01T00:00:00.000Z%23${'0'.repeat(36)}`,
      '/-/versions/new?compare=v1',
    ],
  ])('leads from %s%s to the same request at the new path', async (path, search, right) => {
    const url = service.apiUrl + path.replace('old', `${organization}/${repository_id}`) + search;
    const { headers } = await fetch(url, { redirect: 'manual' });
    expect(headers.get('location')).toBe(right.replace('new', `${account_id}/${repository_id}`));
  });
});
