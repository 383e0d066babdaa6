import { expect, test } from 'vitest';
import { showKey } from '../../../../lib/domain/secrets/key-rotation.ts';
import { keyState } from '../../../../lib/domain/service-accounts/service-accounts.ts';

const now = Date.parse('2028-02-28T12:00:00.000Z');

test.each<[string, string | null, string | null, string]>([
  ['never expires', null, null, 'active'],
  ['expires in a millisecond', null, '2028-02-28T12:00:00.001Z', 'active'],
  ['expires now', null, '2028-02-28T12:00:00.000Z', 'expired'],
  ['was revoked', '2028-02-01T00:00:00.000Z', null, 'revoked'],
  ['was revoked and has expired since', '2028-02-01T00:00:00.000Z', '2028-02-02T00:00:00.000Z', 'revoked'],
])('a key that %s has its state', (_, revoked_at, expires_at, state) => {
  expect(keyState({ revoked_at, expires_at }, now)).toBe(state);
});

const key = {
  ...{ created_by: 'ada', created_by_name: 'Ada', created_by_is_member: true },
  ...{ key_hash: 'hash', key_id: 'id', service_account_id: 'owner--name', service_account_uid: 'uid', label: 'a key' },
  ...{ expires_at: null, last_used_at: null, revoked_at: null, created_at: '2028-02-01T00:00:00.000Z' },
};
const later = { created_at: '2028-02-02T00:00:00.000Z' };
const used = { last_used_at: '2028-02-03T00:00:00.000Z' };

test.each<[string, Partial<{ [Field in keyof typeof key]: string }>, boolean]>([
  ['has signed in', { ...later, ...used }, true],
  ['has not signed in', later, false],
  ['is older', { created_at: '2028-01-01T00:00:00.000Z', ...used }, false],
  ['is revoked', { ...later, ...used, revoked_at: '2028-02-04T00:00:00.000Z' }, false],
  ['has expired', { ...later, ...used, expires_at: '2028-02-04T00:00:00.000Z' }, false],
])('the view of a key shows whether a newer key is in use: one that %s', (_, other, expected) => {
  expect(showKey(key, [key, { ...key, ...other } as typeof key], now).newer_key_in_use).toBe(expected);
});

test('the view of a key contains no hash and no internal ID', () => {
  const shown = showKey({ ...key, ...used }, [{ ...key, ...used }], now);
  const { key_hash, service_account_id, service_account_uid, revoked_at, ...rest } = { ...key, ...used };
  expect(shown).toEqual({ ...rest, state: 'active', newer_key_in_use: false });
});
