import { expect, test } from 'vitest';
import { type Membership, membershipsShown } from '../../../../lib/domain/accounts/memberships.ts';

function membership(index: number, state: Membership['state']): Membership {
  return {
    membership_id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    account_id: 'ada',
    membership_account_id: 'somebody',
    role: 'read_data',
    state,
    state_changed: '2026-01-01T00:00:00.000Z',
  };
}

test('a session holds every membership, in the order in which they came', () => {
  const all = (['revoked', 'member', 'invited', 'member'] as const).map((state, index) => membership(index, state));
  expect(membershipsShown(all)).toEqual(all);
});

test('whoever invites someone tens of thousands of times leaves room for what they are a member of', () => {
  const flood = Array.from({ length: 60_000 }, (_, index) =>
    membership(index, index % 2 === 0 ? 'revoked' : 'invited'),
  );
  const joined = [membership(60_000, 'member'), membership(60_001, 'member')];
  const shown = membershipsShown([...flood, ...joined]);
  expect(shown.slice(0, 2)).toEqual(joined);
  expect(shown.findIndex(({ state }) => state === 'revoked')).toBe(-1);
  expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(6_000_000);
});
