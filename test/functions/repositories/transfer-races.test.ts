import { beforeEach, expect, test } from 'vitest';
import { keys } from '../../../lib/store/keys.ts';
import { inBatches, made, signUp } from '../users.ts';
import { connectionId, type LifecycleFixture, lifecycleFixture, organization } from './lifecycle-fixture.ts';

/** Runs offers and acceptances concurrently with every other change of a repository and its accounts. */

const service = await lifecycleFixture();
const to = 'receiver';
const receiver = await signUp(service, to);
service.pass(8 * 86_400);

const rounds = 8;
const pathOf = (id: string, account_id: string = organization) => `/repositories/${account_id}/${id}`;
const move = (transfer_id: string, name: 'accept' | 'withdraw' | 'decline') =>
  (name === 'withdraw' ? service.ada : receiver)('POST', `/transfers/${transfer_id}/${name}`);
const statusOf = async (by: LifecycleFixture['ada'], path: string) => (await by('GET', path)).status;

/** Offers a repository to another account without the limits on offers. */
async function offered(changes: Record<string, unknown> = {}) {
  const id = service.newId();
  await made(service.create(id, changes));
  await freeInvitations();
  const { body } = await made(service.ada('POST', `${pathOf(id)}/transfers`, { to }));
  return { id, transfer_id: String(body.transfer_id) };
}
const freeInvitations = () =>
  service.table.putAll([{ ...keys.invitationsToOne(organization, to), entity: 'invitations_to_one' }]);
beforeEach(freeInvitations);

/**
 * Returns the account that has the repository. The repository's path, its storage prefix, and the counts of both
 * accounts must agree.
 */
async function isAt(id: string): Promise<'here' | 'there' | 'nowhere' | 'both'> {
  const [here, there] = [await statusOf(service.ada, pathOf(id)), await statusOf(receiver, pathOf(id, to))];
  const place = await service.table.find(`PREFIX#${connectionId}#${organization}/${id}/`, 'PREFIX');
  if (here === 200 && there === 200) return 'both';
  if (there === 200) expect(place).toMatchObject({ account_id: to, repository_id: id });
  if (here === 200) expect(place).toMatchObject({ account_id: organization, repository_id: id });
  return here === 200 ? 'here' : there === 200 ? 'there' : 'nowhere';
}

test('one of two concurrent acceptances succeeds, also for two offers of one repository', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, transfer_id } = await offered();
    const answers = await Promise.all([move(transfer_id, 'accept'), move(transfer_id, 'accept')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await isAt(id)).toBe('there');
  });
});

test('either an acceptance or a concurrent withdrawal of the offer succeeds', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, transfer_id } = await offered();
    const [accepted, withdrawn] = await Promise.all([move(transfer_id, 'accept'), move(transfer_id, 'withdraw')]);
    expect([accepted?.status, withdrawn?.status].sort()).toEqual([200, 409]);
    expect(await isAt(id)).toBe(accepted?.status === 200 ? 'there' : 'here');
  });
});

test('a concurrent disabling stays in force, and a transfer does not undo that of an administrator', async () => {
  await inBatches(rounds, 2, async (round) => {
    const { id, transfer_id } = await offered();
    const by = round % 2 === 0 ? service.admin : service.ada;
    const [accepted, disabled] = await Promise.all([move(transfer_id, 'accept'), by('POST', `${pathOf(id)}/disable`)]);
    expect([
      [200, 404],
      [200, 403],
      [200, 409],
      [409, 200],
    ]).toContainEqual([accepted?.status, disabled?.status]);
    expect(await isAt(id)).toBe(accepted?.status === 200 ? 'there' : 'here');
    const at = accepted?.status === 200 ? await receiver('GET', pathOf(id, to)) : await service.ada('GET', pathOf(id));
    expect(at.body.disabled).toBe(accepted?.status !== 200);
  });
});

test('a concurrent change of readers is either transferred with the repository or refused', async () => {
  await inBatches(rounds, 2, async (round) => {
    const [from, into] = round % 2 === 0 ? ['private', 'open'] : ['open', 'private'];
    const { id, transfer_id } = await offered({ data_mode: from });
    const [accepted, changed] = await Promise.all([
      move(transfer_id, 'accept'),
      service.ada('PUT', `${pathOf(id)}/data-mode`, { data_mode: into }),
    ]);
    const where = await isAt(id);
    expect(where).toBe(accepted?.status === 200 ? 'there' : 'here');
    expect([200, 404, 409]).toContain(changed?.status);
    const { body } = where === 'there' ? await receiver('GET', pathOf(id, to)) : await service.ada('GET', pathOf(id));
    expect(body.data_mode).toBe(changed?.status === 200 ? into : from);
  });
});

test('a concurrent change of the description is either transferred with the repository or refused', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, transfer_id } = await offered();
    const meta = { title: 'Anew', description: 'written', tags: '' };
    const [accepted, updated] = await Promise.all([
      move(transfer_id, 'accept'),
      service.ada('PUT', pathOf(id), { meta, state: 'unlisted' }),
    ]);
    const where = await isAt(id);
    expect(where).toBe(accepted?.status === 200 ? 'there' : 'here');
    const { body } = where === 'there' ? await receiver('GET', pathOf(id, to)) : await service.ada('GET', pathOf(id));
    expect(body.meta.title).toBe(updated?.status === 200 ? 'Anew' : 'Buoys');
  });
});

test('a repository that is deleted at the same time can be neither offered nor accepted', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, transfer_id } = await offered();
    await made(service.ada('POST', `${pathOf(id)}/disable`));
    const [accepted, deleted, enabled] = await Promise.all([
      move(transfer_id, 'accept'),
      service.ada('POST', `${pathOf(id)}/delete`, { confirm: `${organization}/${id}` }),
      service.ada('POST', `${pathOf(id)}/enable`),
    ]);
    expect([deleted, enabled].filter((each) => each?.status === 200).length).toBeGreaterThan(0);
    expect(accepted?.status === 200 && deleted?.status === 200).toBe(false);
    expect(await isAt(id)).toBe(deleted?.status === 200 ? 'nowhere' : accepted?.status === 200 ? 'there' : 'here');
  });
  await inBatches(rounds, 2, async () => {
    const id = service.newId();
    await made(service.create(id));
    await freeInvitations();
    const [offer, disabled] = await Promise.all([
      service.ada('POST', `${pathOf(id)}/transfers`, { to }),
      service.ada('POST', `${pathOf(id)}/disable`),
    ]);
    expect(disabled?.status).toBe(200);
    expect([201, 409]).toContain(offer?.status);
    if (offer?.status === 201) expect((await move(offer.body.transfer_id, 'accept')).status).toBe(409);
  });
});

test('either an acceptance or a new repository of the same ID gets the path', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, transfer_id } = await offered();
    const [accepted, created] = await Promise.all([
      move(transfer_id, 'accept'),
      receiver('POST', `/repositories/${to}`, {
        repository_id: id,
        data_mode: 'private',
        meta: { title: 'Their own', description: '', tags: '' },
        data_connection_id: connectionId,
      }),
    ]);
    expect([
      [200, 409],
      [409, 201],
    ]).toContainEqual([accepted?.status, created?.status]);
    const { body } = await made(receiver('GET', pathOf(id, to)));
    expect(body.meta.title).toBe(accepted?.status === 200 ? 'Buoys' : 'Their own');
    expect(await statusOf(service.ada, pathOf(id))).toBe(accepted?.status === 200 ? 404 : 200);
  });
});

test('a repository that is created under the old path at the same time gets its own prefix or is refused', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, transfer_id } = await offered();
    const [accepted, created] = await Promise.all([move(transfer_id, 'accept'), service.create(id)]);
    expect(accepted?.status).toBe(200);
    expect([201, 409]).toContain(created?.status);
    if (created?.status === 201)
      expect(created.body.data.mirrors[connectionId].prefix).not.toBe(`${organization}/${id}/`);
    expect(await statusOf(receiver, pathOf(id, to))).toBe(200);
  });
});

test('a receiving account never exceeds its limit with concurrent acceptances', async () => {
  const { body } = await made(service.admin('PUT', `/accounts/${to}/repository-limit`, { repositories_max: 1 }));
  const limit = body.repositories + 1;
  await made(service.admin('PUT', `/accounts/${to}/repository-limit`, { repositories_max: limit }));
  const offers = [await offered(), await offered()];
  const answers = await Promise.all(offers.map(({ transfer_id }) => move(transfer_id, 'accept')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.detail).toContain(
    `${to} has at most ${limit} repositories`,
  );
  const there = await Promise.all(offers.map(({ id }) => isAt(id)));
  expect(there.sort()).toEqual(['here', 'there']);
  await made(service.admin('PUT', `/accounts/${to}/repository-limit`, { repositories_max: 1000 }));
});
