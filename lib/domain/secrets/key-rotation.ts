import type { KeyCreator } from '../accounts/key-creators.ts';
import { limits } from '../limits.ts';
import {
  type Grant,
  keyState,
  type ServiceAccountKey,
  type ServiceAccountKeyRecord,
} from '../service-accounts/service-accounts.ts';

type ShownKeyRecord = Omit<ServiceAccountKeyRecord, 'created_by'> & KeyCreator;

/**
 * Returns a key in the form for users who manage it. `newer_key_in_use` is true if a newer key was used. The rotation
 * is then complete, and the user can revoke the older key.
 */
export function showKey(
  key: ShownKeyRecord,
  all: readonly ShownKeyRecord[],
  now: number,
): Omit<ServiceAccountKey, 'key'> {
  const { key_id, label, expires_at, last_used_at, created_at } = key;
  const newer_key_in_use = all.some(
    (other) => other.created_at > created_at && other.last_used_at !== null && keyState(other, now) === 'active',
  );
  const state = keyState(key, now);
  const { created_by, created_by_name, created_by_is_member } = key;
  const maker = { created_by, created_by_name, created_by_is_member };
  return { key_id, label, state, expires_at, last_used_at, created_at, newer_key_in_use, ...maker };
}

export function isLeaked({ revoked_by }: Pick<ServiceAccountKeyRecord, 'revoked_by'>): boolean {
  return revoked_by === 'found';
}

/**
 * Returns the field `leak` for a leaked key: the report, and the repositories in which sessions of the key could
 * write.
 */
export function showLeak(key: ShownKeyRecord, grants: readonly Grant[]): Pick<ServiceAccountKey, 'leak'> {
  const { revoked_at, found_at, last_used_at } = key;
  if (!isLeaked(key) || revoked_at === null) return {};
  // A key that never signed in started no session, so nobody could write with it.
  const writable = last_used_at === null ? [] : grants.filter(({ access }) => access === 'read_write');
  const shown = writable.slice(0, limits.leakedKeyRepositoriesMax).map(({ repository_id }) => repository_id);
  const has_more = shown.length < writable.length;
  return { leak: { reported_at: revoked_at, url: found_at ?? null, writable_repositories: shown, has_more } };
}

/** Returns the keys to delete from a full list before a key is added: the oldest keys that are revoked or expired. */
export function keysToDrop<K extends { created_at: string }>(held: readonly K[], isLive: (key: K) => boolean): K[] {
  const tooMany = held.length + 1 - limits.keysOfListMax;
  if (tooMany <= 0) return [];
  const dead = held.filter((key) => !isLive(key)).toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return dead.slice(0, Math.min(tooMany, limits.keysDroppedAtOnceMax));
}
