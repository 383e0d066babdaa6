import { expect, test } from 'vitest';
import { type Membership, membershipAt } from '../../../../lib/domain/accounts/memberships.ts';

const membership = (state: Membership['state']): Membership => ({
  membership_id: '00000000-0000-4000-8000-000000000000',
  account_id: 'ada',
  membership_account_id: 'somebody',
  role: 'read_data',
  state,
  state_changed: '2030-01-01T00:00:00.000Z',
});
const end = Date.parse('2030-01-31T00:00:00.000Z');

test.each([
  ['invited', end - 1, 'invited'],
  ['invited', end, 'revoked'],
  ['member', end, 'member'],
  ['revoked', end, 'revoked'],
] as const)('what is %s is at %i %s: an invitation lasts 30 days', (state, now, stateThen) => {
  expect(membershipAt(membership(state), now).state).toBe(stateThen);
});

test('an invitation that nobody answered was revoked when its time was over, not when somebody looked', () => {
  const later = membershipAt(membership('invited'), end + 86_400_000);
  expect(later.state_changed).toBe('2030-01-31T00:00:00.000Z');
});
