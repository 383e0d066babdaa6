import { expect, test } from 'vitest';
import { createPeopleClientsSource } from '../../../lib/lambda/people-clients.ts';

const clients = { issuer: 'https://people.example.org', api_audiences: ['web', 'site'], data_audiences: ['data'] };

/** Creates a parameter store with the contents of a test, which records its requests. */
function parameterStore() {
  const store = {
    now: 0,
    held: JSON.stringify(clients) as string | undefined | Error,
    asked: [] as string[],
    read: () => source(),
  };
  const readParameter = async (name: string) => {
    store.asked.push(name);
    if (store.held instanceof Error) throw store.held;
    return store.held;
  };
  const source = createPeopleClientsSource(readParameter, '/tides/people-clients', () => store.now);
  return store;
}

const minutes = 60_000;

test('until they are made there are none, which counts for five minutes too', async () => {
  const store = parameterStore();
  store.held = undefined;
  expect(await store.read()).toBeUndefined();
  store.held = JSON.stringify(clients);
  store.now = 4 * minutes;
  expect(await store.read()).toBeUndefined();
  store.now = 5 * minutes;
  expect(await store.read()).toEqual(clients);
});

test.each(['', '{}', 'null', '{"issuer":"https://people.example.org"}', JSON.stringify({ ...clients, issuer: 'x' })])(
  'a parameter that holds %j is one that cannot be read, and nobody signs in by it',
  async (held) => {
    const store = parameterStore();
    store.held = held;
    await expect(store.read()).rejects.toMatchObject({ code: 'unavailable' });
    store.now = 9_000;
    await expect(store.read()).rejects.toMatchObject({ code: 'unavailable' });
    expect(store.asked).toHaveLength(1);
  },
);
