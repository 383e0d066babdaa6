import { expect, test } from 'vitest';
import { type Membership, membershipAt } from '../../../../lib/domain/accounts/memberships.ts';
import { newMembership, now } from '../../store/open-store.ts';

const end = Date.parse(now) + 30 * 86_400_000;

test.each<[Membership['state'], number, Membership['state'], string]>([
  ['invited', end - 1, 'invited', now],
  ['invited', end, 'revoked', '2030-01-31T00:00:00.000Z'],
  ['invited', end + 86_400_000, 'revoked', '2030-01-31T00:00:00.000Z'],
  ['member', end, 'member', now],
  ['revoked', end, 'revoked', now],
])('a membership that is %s is at %i %s, since %s', (state, time, stateThen, state_changed) => {
  expect(membershipAt(newMembership('ada', 'tides', { state }), time)).toMatchObject({
    state: stateThen,
    state_changed,
  });
});
