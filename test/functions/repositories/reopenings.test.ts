import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { toProblem } from '../../../site/console/api/problem.ts';
import { type Client, testService } from '../../service/test-service.ts';
import { addMember, connection, made, repository, signUp, signUpTides } from '../users.ts';

let names = 0;
const service = await testService();
const { admin, ada, ben } = await signUpTides(service);
const grace = await signUp(service, 'grace');
await addMember(ada, 'tides', ben, 'ben', 'owners');
beforeEach(() => toNextHour());

const { reopeningsPerHourMax } = limits;
const now = () => service.services.clock();
/**
 * Moves the clock to the start of the next hour, so that each test has its full number of reopenings and most of an
 * hour.
 */
const toNextHour = () => service.advance(3601 - ((now() / 1000) % 3600));
const path = (id: string, accountId = 'tides') => `/repositories/${accountId}/${id}`;
const setMode = (by: Client, id: string, data_mode: string, more = {}) =>
  by('PUT', `${path(id)}/data-mode`, { data_mode, ...more });
const create = (id: string, changes: Record<string, unknown> = {}) =>
  ada('POST', '/repositories/tides', repository(id, changes));
const disable = (id: string) => made(ada('POST', `${path(id)}/disable`));
const enable = (by: Client, id: string) => by('POST', `${path(id)}/enable`);
const remove = async (id: string) => {
  await disable(id);
  await made(ada('POST', `${path(id)}/delete`, { confirm: `tides/${id}` }));
};
const transfer = async (id: string, from: string, to: string, giver: Client) => {
  const { body } = await made(giver('POST', `${path(id, from)}/transfers`, { to }));
  return `/transfers/${body.transfer_id}/accept`;
};
const newId = () => {
  names += 1;
  return `gauges-${names}`;
};
async function newRepository(changes: Record<string, unknown> = {}): Promise<string> {
  const id = newId();
  await made(create(id, changes));
  return id;
}

/** Enables and disables repositories of the account as both of its owners, until this number of reopenings is used. */
async function spend(count: number): Promise<void> {
  const ids = [await newRepository(), await newRepository()];
  for (let at = 0; at < count; at += 1) {
    const id = ids[at % 2] ?? '';
    await made(setMode(ada, id, 'private'));
    await made(setMode(ben, id, 'open'));
  }
}

function expectRefusal({ status, headers, body }: Awaited<ReturnType<Client>>, accountId = 'tides'): number {
  expect([status, body.code]).toEqual([429, 'throttled']);
  const seconds = Number(headers.get('retry-after'));
  const endsAt = new Date(Math.ceil(now() / 3_600_000) * 3_600_000).toISOString();
  expect(Math.abs(now() + seconds * 1000 - Date.parse(endsAt))).toBeLessThan(30_000);
  expect(body.detail).toContain(`${accountId} has made data public again 6 times in this hour`);
  expect(body.detail).toContain(`try again after ${endsAt}`);
  // The console shows the API's sentence, which contains the time.
  expect(toProblem(status, body).message).toBe(`${body.detail}.`);
  return seconds;
}

describe('an account that used all its reopenings', () => {
  test.each<[string, () => Promise<() => ReturnType<Client>>]>([
    [
      'change a data mode to open',
      async () => {
        const id = await newRepository();
        await made(setMode(ada, id, 'private'));
        return () => setMode(ada, id, 'open');
      },
    ],
    [
      'enable a repository',
      async () => {
        const id = await newRepository();
        await disable(id);
        return () => enable(ada, id);
      },
    ],
    [
      'open a repository whose data mode was changed while it was disabled',
      async () => {
        const id = await newRepository();
        await made(setMode(ada, id, 'private'));
        await disable(id);
        // Enabling the repository opens no data yet, so it uses no reopening.
        await made(setMode(ada, id, 'open'));
        return () => enable(ada, id);
      },
    ],
    [
      "create an open repository under a deleted one's path",
      async () => {
        const id = await newRepository();
        await remove(id);
        return () => create(id, { adopt_objects: true });
      },
    ],
    [
      'create one there on another data connection',
      async () => {
        const id = await newRepository();
        await remove(id);
        const details = { ...connection('').details, bucket: 'another-bucket' };
        await made(admin('POST', '/data-connections', connection(`store-${id}`, { details })));
        return () => create(id, { data_connection_id: `store-${id}` });
      },
    ],
    [
      'open a private one that was created there',
      async () => {
        const id = await newRepository();
        await remove(id);
        await made(create(id, { data_mode: 'private' }));
        return () => setMode(ada, id, 'open', { adopt_objects: true });
      },
    ],
    [
      'accept a repository back that was transferred away',
      async () => {
        const id = await newRepository();
        await made(grace('POST', await transfer(id, 'tides', 'grace', ada)));
        const accept = await transfer(id, 'grace', 'tides', grace);
        return () => ada('POST', accept);
      },
    ],
    [
      'enable the account',
      async () => {
        await made(ada('POST', '/accounts/tides/disable'));
        return () => ada('POST', '/accounts/tides/enable');
      },
    ],
  ])('can close data, and cannot %s before the next hour', async (_, close) => {
    await spend(reopeningsPerHourMax);
    const reopen = await close();
    expectRefusal(await reopen());
    toNextHour();
    expect((await reopen()).status).toBeLessThan(300);
  });

  test('gets a full budget when the hour ends, and not before', async () => {
    const id = await newRepository();
    await made(setMode(ada, id, 'private'));
    await spend(reopeningsPerHourMax);
    service.advance(expectRefusal(await setMode(ada, id, 'open')) - 30);
    expectRefusal(await setMode(ada, id, 'open'));
    service.advance(31);
    await spend(reopeningsPerHourMax);
    expectRefusal(await setMode(ada, id, 'open'));
  });

  test('can create open repositories, and can open private ones for the first time', async () => {
    await spend(reopeningsPerHourMax);
    for (let times = 0; times < 10; times += 1) {
      await newRepository();
      const id = await newRepository({ data_mode: 'private' });
      expect((await setMode(ada, id, 'open')).status).toBe(200);
    }
  });

  test('can be enabled by an administrator, with its data', async () => {
    await spend(reopeningsPerHourMax);
    const id = await newRepository();
    await made(admin('POST', `${path(id)}/disable`));
    expect((await enable(admin, id)).status).toBe(200);
    for (let times = 0; times <= reopeningsPerHourMax; times += 1) {
      await made(admin('POST', '/accounts/grace/disable'));
      expect((await admin('POST', '/accounts/grace/enable')).status).toBe(200);
    }
  });
});

test('one of two concurrent reopenings succeeds when one is left', async () => {
  const ids = [await newRepository(), await newRepository()];
  for (const id of ids) await made(setMode(ada, id, 'private'));
  await spend(reopeningsPerHourMax - 1);
  const answers = await Promise.all([setMode(ada, ids[0] ?? '', 'open'), setMode(ben, ids[1] ?? '', 'open')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
});

test('a repository whose data mode alternates closes each time and opens at most six times an hour', async () => {
  const id = await newRepository();
  const statuses = [];
  for (let times = 0; times < 10; times += 1) {
    expect((await setMode(ada, id, 'private')).status).toBe(200);
    statuses.push((await setMode(ada, id, 'open')).status);
  }
  expect(statuses).toEqual([...Array(6).fill(200), ...Array(4).fill(429)]);
});

test('each transfer of a repository between two accounts counts as a reopening of the receiver', async () => {
  const id = await newRepository();
  let accepted = 0;
  for (let times = 0; times < 2; times += 1) {
    accepted += (await grace('POST', await transfer(id, 'tides', 'grace', ada))).status === 200 ? 1 : 0;
    accepted += (await ada('POST', await transfer(id, 'grace', 'tides', grace))).status === 200 ? 1 : 0;
  }
  expect(accepted).toBe(4);
  // Three of the four reopenings were of a repository that was closed before: two of the organization, one of the user.
  await spend(reopeningsPerHourMax - 2);
  const last = await newRepository();
  await made(setMode(ada, last, 'private'));
  expectRefusal(await setMode(ada, last, 'open'));
});
