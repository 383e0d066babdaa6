import { expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { addMember, inBatches, made, repository, signUpTides } from '../users.ts';

const service = await testService();
const { ada, ben } = await signUpTides(service);
await addMember(ada, 'tides', ben, 'ben', 'maintainers');

const path = (id: string) => `/repositories/tides/${id}`;
const change = (by: Client, id: string, data_mode: string) => by('PUT', `${path(id)}/data-mode`, { data_mode });
const create = (id: string, data_mode: string) =>
  made(ada('POST', '/repositories/tides', repository(id, { data_mode })));
const list = (id: string) => made(ada('PUT', path(id), { meta: repository(id).meta, state: 'listed' }));
const catalogue = async () =>
  (await service.anyone('GET', '/repositories')).body.map((each: { repository_id: string }) => each.repository_id);

test('owners open and close a repository, and the catalogue contains it only while it is open', async () => {
  const { body: created } = await create('gauges', 'private');
  await list('gauges');
  expect(await catalogue()).not.toContain('gauges');
  expect(await change(ada, 'gauges', 'open')).toMatchObject({
    status: 200,
    body: { ...created, state: 'listed', data_mode: 'open', updated: expect.any(String) },
  });
  expect(await catalogue()).toContain('gauges');
  expect((await change(ada, 'gauges', 'private')).body.data_mode).toBe('private');
  expect(await catalogue()).not.toContain('gauges');
  expect((await ada('GET', path('gauges'))).body.data_mode).toBe('private');
  const { body: events } = await ada('GET', '/accounts/tides/audit-events?kind=repository.data_mode_changed');
  expect(events.map(({ subject }: { subject: object }) => subject)).toEqual(
    ['private', 'open'].map((data_mode) => ({ account_id: 'tides', repository_id: 'gauges', data_mode })),
  );
});

test('a change to the current mode changes nothing and writes no audit event', async () => {
  await create('settled', 'open');
  expect((await change(ada, 'settled', 'open')).status).toBe(200);
  const { body: events } = await ada('GET', '/accounts/tides/audit-events?kind=repository.data_mode_changed');
  expect(
    events.some(({ subject }: { subject: { repository_id: string } }) => subject.repository_id === 'settled'),
  ).toBe(false);
});

test('an owner can only choose a mode that the connection allows', async () => {
  await create('bound', 'open');
  expect(await change(ada, 'bound', 'subscription')).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'data_mode', message: 'this data connection allows open, private' }] },
  });
});

test('a concurrent update or disabling never returns a closed repository to the catalogue', async () => {
  await inBatches(20, 5, async (round) => {
    const id = `raced-${round}`;
    await create(id, 'open');
    const answers = await Promise.all([
      change(ada, id, 'private'),
      ada('PUT', path(id), { meta: repository(id).meta, state: 'listed' }),
      round % 2 === 0 ? ada('POST', `${path(id)}/disable`) : ada('GET', path(id)),
    ]);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { body: now } = await ada('GET', path(id));
    expect((await catalogue()).includes(id)).toBe(
      now.data_mode === 'open' && now.state === 'listed' && now.disabled === false,
    );
  });
});
