import { expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, inBatches, invite, made, repository, signUp, signUpTides } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const { ada, ben } = await signUpTides(service);
await addMember(ada, 'tides', ben, 'ben', 'owners');
await made(ada('POST', '/repositories/tides', repository('gauges')));
// Moves the clock by 8 days, because new accounts may send only a few invitations a day.
service.advance(8 * 86_400);
const guests = await Promise.all(
  Array.from({ length: 10 }, async (_, index) => ({
    name: `guest-${index}`,
    client: await signUp(service, `guest-${index}`),
  })),
);

const day = 86_400;
const openOf = async (client: Client) =>
  (await client('GET', '/whoami')).body.memberships.filter(({ state }: { state: string }) => state === 'invited');

test.each([
  ['an organization', '/accounts/tides/members'],
  ['a repository', '/repositories/tides/gauges/members'],
])('one of two concurrent invitations to %s is created and the other is refused', async (_, path) => {
  for (let round = 0; round < 3; round += 1) {
    // A user cannot be invited again within a day of a rejection.
    service.advance(day);
    await Promise.all(
      guests.map(async ({ name, client }) => {
        const answers = await Promise.all([
          ada('POST', path, { account_id: name, role: 'read_data' }),
          ben('POST', path, { account_id: name, role: 'write_data' }),
        ]);
        expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
        const won = answers.find(({ status }) => status === 201);
        expect(await openOf(client)).toEqual([{ ...won?.body, account_name: null, membership_account_name: null }]);
        // Each round must start without an active membership.
        await made(client('POST', `/memberships/${won?.body.membership_id}/reject`));
      }),
    );
  }
});

test('either an acceptance or a concurrent revocation succeeds, and no role remains after a revocation', async () => {
  service.advance(day);
  await inBatches(20, 10, async (round) => {
    const { name, client } = guests[round % guests.length] ?? { name: '', client: service.anyone };
    const id = await invite(ada, 'tides', name, 'maintainers');
    const [accept, revoke] = await Promise.all([
      client('POST', `/memberships/${id}/accept`),
      ada('POST', `/memberships/${id}/revoke`),
    ]);
    expect([accept.status, revoke.status].toSorted()).toEqual(
      accept.status === 409 ? [200, 409] : [200, revoke.status],
    );
    if (revoke.status === 409) await made(ada('POST', `/memberships/${id}/revoke`));
    expect((await client('GET', '/accounts/tides/members')).status).toBe(403);
  });
});
