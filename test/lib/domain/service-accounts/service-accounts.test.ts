import { describe, expect, test } from 'vitest';
import { showKey } from '../../../../lib/domain/secrets/key-rotation.ts';
import {
  expiryFrom,
  type KeyExpiry,
  keyState,
  type ServiceAccountKeyRecord,
} from '../../../../lib/domain/service-accounts/service-accounts.ts';

const now = Date.parse('2028-02-28T12:00:00.000Z');

test.each<[KeyExpiry, string | null]>([
  ['30d', '2028-03-29T12:00:00.000Z'],
  ['90d', '2028-05-28T12:00:00.000Z'],
  ['1y', '2029-02-27T12:00:00.000Z'],
  ['never', null],
])('an expiry of %s counts days of 24 hours from now, leap years or not: %s', (expiry, expected) => {
  expect(expiryFrom(expiry, now)).toBe(expected);
});

describe('the state of a key', () => {
  test.each<[string, string | null, string | null, string]>([
    ['never expires', null, null, 'active'],
    ['expires in a millisecond', null, '2028-02-28T12:00:00.001Z', 'active'],
    ['expires now', null, '2028-02-28T12:00:00.000Z', 'expired'],
    ['was revoked', '2028-02-01T00:00:00.000Z', null, 'revoked'],
    ['was revoked and has expired since', '2028-02-01T00:00:00.000Z', '2028-02-02T00:00:00.000Z', 'revoked'],
  ])('that %s', (_, revoked_at, expires_at, state) => {
    expect(keyState({ revoked_at, expires_at }, now)).toBe(state);
  });
});

describe('a newer key is in use', () => {
  const key = (changes: Partial<Omit<ServiceAccountKeyRecord, 'created_by'>>) => ({
    created_by: 'ada',
    created_by_name: 'Ada',
    created_by_is_member: true,
    key_hash: 'hash',
    key_id: 'id',
    service_account_id: 'owner--name',
    service_account_uid: 'uid',
    label: 'a key',
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    created_at: '2028-02-01T00:00:00.000Z',
    ...changes,
  });
  const later = { created_at: '2028-02-02T00:00:00.000Z' };
  const used = { last_used_at: '2028-02-03T00:00:00.000Z' };

  test.each<[string, Partial<Omit<ServiceAccountKeyRecord, 'created_by'>>, boolean]>([
    ['once it has signed in', { ...later, ...used }, true],
    ['not before it has', later, false],
    ['not when it is older', { created_at: '2028-01-01T00:00:00.000Z', ...used }, false],
    ['not when it is revoked', { ...later, ...used, revoked_at: '2028-02-04T00:00:00.000Z' }, false],
    ['not when it has expired', { ...later, ...used, expires_at: '2028-02-04T00:00:00.000Z' }, false],
  ])('%s', (_, other, expected) => {
    expect(showKey(key({}), [key({}), key(other)], now).newer_key_in_use).toBe(expected);
  });

  test('which a key itself never is, and the view holds no hash and no internal id', () => {
    const shown = showKey(key(used), [key(used)], now);
    expect(shown).toEqual({
      key_id: 'id',
      label: 'a key',
      state: 'active',
      expires_at: null,
      last_used_at: used.last_used_at,
      created_at: '2028-02-01T00:00:00.000Z',
      newer_key_in_use: false,
      created_by: 'ada',
      created_by_name: 'Ada',
      created_by_is_member: true,
    });
  });
});
