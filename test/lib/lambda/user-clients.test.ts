import { expect, test } from 'vitest';
import { createUserClientsSource } from '../../../lib/lambda/user-clients.ts';

const clients = { issuer: 'https://people.example.org', api_audiences: ['web', 'site'], data_audiences: ['data'] };
const minutes = 60_000;
const name = '/tides/people-clients';

test('missing clients are cached for five minutes too', async () => {
  let held: string | undefined;
  let now = 0;
  const read = createUserClientsSource(
    async () => held,
    name,
    () => now,
  );
  expect(await read()).toBeUndefined();
  held = JSON.stringify(clients);
  now = 4 * minutes;
  expect(await read()).toBeUndefined();
  now = 5 * minutes;
  expect(await read()).toEqual(clients);
});

test.each(['', '{}', 'null', '{"issuer":"https://people.example.org"}', JSON.stringify({ ...clients, issuer: 'x' })])(
  'a parameter that contains %j is unreadable, and no user signs in with it',
  async (held) => {
    const read = createUserClientsSource(async () => held, name, Date.now);
    await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
  },
);
