import { expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { testService } from '../../service/test-service.ts';
import { made, repository, signUpTides } from '../users.ts';

const service = await testService();
const { admin, ada } = await signUpTides(service);
const pathOf = (id: string) => `/repositories/tides/${id}`;
const feature = (id: string, order: number) => admin('PUT', `${pathOf(id)}/featured`, { order });

async function publish(id: string, meta = {}) {
  await made(ada('POST', '/repositories/tides', repository(id, { data_mode: 'open', ...meta })));
  const { body } = await ada('GET', pathOf(id));
  await made(ada('PUT', pathOf(id), { meta: body.meta, state: 'listed' }));
}

/** Returns the IDs of the repositories that the front page shows as featured, in their order. */
async function featured(): Promise<string[]> {
  const html = await (await fetch(service.apiUrl)).text();
  const shelf = html.split('<section class="block">').find((part) => part.includes('<h2>Featured</h2>')) ?? '';
  return [...new Set([...shelf.matchAll(/href="\/tides\/([a-z0-9-]+)"/g)].map(([, id = '']) => id))];
}

async function remove(id: string) {
  await made(ada('POST', `${pathOf(id)}/disable`));
  await made(ada('POST', `${pathOf(id)}/delete`, { confirm: `tides/${id}` }));
}

test('the front page shows featured repositories in their order, and order 0 removes one', async () => {
  await Promise.all(['levels', 'maps', 'winds'].map((id) => publish(id)));
  expect(await featured()).toEqual([]);
  const set = await made(feature('maps', 20));
  expect(set.body).toMatchObject({ repository_id: 'maps', featured: 20 });
  await made(feature('levels', 30));
  await made(feature('winds', 10));
  expect(await featured()).toEqual(['winds', 'maps', 'levels']);
  await made(feature('winds', 25));
  expect(await featured()).toEqual(['maps', 'winds', 'levels']);
  await made(feature('maps', 0));
  expect(await featured()).toEqual(['winds', 'levels']);
  const { body } = await ada('GET', '/accounts/tides/audit-events?limit=1');
  expect(body).toMatchObject([{ kind: 'repository.featured', subject: { repository_id: 'maps', order: '0' } }]);
});

test('the front page leaves out a featured repository that is private, unlisted, disabled, or deleted', async () => {
  const all = ['winds', 'levels'];
  const without = async (change: () => Promise<unknown>, undo: () => Promise<unknown>) => {
    await change();
    expect(await featured()).toEqual(['levels']);
    await undo();
    expect(await featured()).toEqual(all);
  };
  const setMode = (data_mode: string) => made(ada('PUT', `${pathOf('winds')}/data-mode`, { data_mode }));
  await without(
    () => setMode('private'),
    () => setMode('open'),
  );
  const { meta } = (await ada('GET', pathOf('winds'))).body;
  const setState = (state: string) => made(ada('PUT', pathOf('winds'), { meta, state }));
  await without(
    () => setState('unlisted'),
    () => setState('listed'),
  );
  await without(
    () => made(ada('POST', `${pathOf('winds')}/disable`)),
    () => made(ada('POST', `${pathOf('winds')}/enable`)),
  );
  await remove('winds');
  expect(await featured()).toEqual(['levels']);
  await publish('winds', { adopt_objects: true });
  expect(await featured(), 'a later repository of this name').toEqual(['levels']);
});

test.each([
  ['a negative order', 'levels', -1, 400, /order/],
  ['an order over 999', 'levels', 1000, 400, /order/],
  ['a repository that does not exist', 'absent', 1, 404, /No such repository/],
])('refuses %s', async (_, id, order, status, message) => {
  const answer = await feature(id, order);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(message)]);
});

test('refuses owners of the account', async () => {
  expect((await ada('PUT', `${pathOf('levels')}/featured`, { order: 1 })).status).toBe(403);
});

test('refuses a thirteenth repository, and does not count deleted ones', async () => {
  const ids = Array.from({ length: limits.featuredRepositoriesMax }, (_, at) => `set-${at}`);
  await Promise.all(ids.map((id) => publish(id)));
  await made(feature('levels', 0));
  for (const id of ids) await made(feature(id, 1));
  const refused = await feature('levels', 1);
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached']);
  await remove('set-3');
  await made(feature('levels', 1));
  expect(await featured()).toHaveLength(limits.featuredRepositoriesMax);
});

test('two repositories that are featured at the same time are both featured, or one is refused', async () => {
  const ids = ['set-0', 'set-1'];
  for (const id of ids) await made(feature(id, 0));
  const answers = await Promise.all(ids.map((id) => feature(id, 5)));
  const allowed = ids.filter((_, at) => answers[at]?.status === 200);
  expect(allowed.length).toBeGreaterThan(0);
  for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe('concurrent_change');
  const shown = await featured();
  expect(ids.filter((id) => shown.includes(id))).toEqual(allowed);
});
