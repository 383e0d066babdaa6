import * as z from 'zod';
import { accountRecord, shownNameOf } from '../../domain/accounts/accounts.ts';
import { apiKeyRecord, type CreatedKey, isLiveApiKey } from '../../domain/accounts/api-keys.ts';
import type { KeyCreator } from '../../domain/accounts/key-creators.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { keyState, serviceAccountKeyRecord } from '../../domain/service-accounts/service-accounts.ts';
import { decode } from '../codec.ts';
import { type Item, inList, type Key, keys, scopeOf, sublists } from '../keys.ts';
import { parseRole } from '../records.ts';
import { TableStore } from '../table.ts';

/** The account or repository to which a key belongs, and the user who created the key. */
interface CreatedKeyScope {
  account_id: string;
  repository_id?: string | undefined;
  repository_uid?: string | undefined;
  created_by?: string | undefined;
}

/**
 * Returns the table keys of the items that show whether the creator is still a member: the creator's account, and the
 * creator's roles.
 */
function creatorKeys({ account_id, repository_id, created_by }: CreatedKeyScope): Key[] {
  if (created_by === undefined) return [];
  if (created_by === account_id) return [keys.account(created_by)];
  const ofAccount = [keys.account(created_by), keys.role(created_by, account_id)];
  return repository_id === undefined
    ? ofAccount
    : [...ofAccount, keys.role(created_by, scopeOf({ account_id, repository_id }))];
}

/** Returns the creator of a key for a response, from the items that `creatorKeys` names. */
function creatorOf(
  { account_id, created_by, repository_uid }: CreatedKeyScope,
  [account, ...roles]: readonly (Item | undefined)[],
): KeyCreator {
  if (created_by === undefined) return { created_by: null, created_by_name: null, created_by_is_member: null };
  const [ofAccount, ofRepository] = roles.map(parseRole);
  const isMemberOfRepository = ofRepository !== undefined && ofRepository.repository_uid === repository_uid;
  const isMember = created_by === account_id || ofAccount !== undefined || isMemberOfRepository;
  const created_by_name = shownNameOf(decode(accountRecord, account));
  return { created_by, created_by_name, created_by_is_member: isMember };
}

/** Returns the index key that lists an account's keys by their creator. */
export function creatorIndexKey(accountId: string, creatorId: string | undefined, createdAt: string, keyId: string) {
  if (creatorId === undefined) return undefined;
  return inList(sublists.createdKeyCount(accountId, creatorId), createdAt, keyId);
}

const kindRecord = z.object({ entity: z.enum(['api_key', 'service_account_key']) });

export class KeyCreatorStore extends TableStore {
  /** Adds the creator to each key, in one round trip. Reads each creator and each role only once. */
  async withCreators<K extends CreatedKeyScope>(made: readonly K[]): Promise<(Omit<K, 'created_by'> & KeyCreator)[]> {
    const wanted = made.map(creatorKeys);
    const found = await this.table.getMany(wanted.flat());
    let read = 0;
    return made.map((key, index) => {
      const ofKey = found.slice(read, read + (wanted[index]?.length ?? 0));
      read += ofKey.length;
      return { ...key, ...creatorOf(key, ofKey) };
    });
  }

  /** Lists the keys that a user created, oldest first. Includes revoked and expired keys. */
  async made(accountId: string, creatorId: string, page: ListPageRequest, now: number): Promise<ListPage<CreatedKey>> {
    const { items, next } = await this.table.listPage('sublists', sublists.createdKeyCount(accountId, creatorId), page);
    return { items: items.map((item) => createdKeyOf(item, now)), next };
  }

  /**
   * Counts the active keys in the account, or in one of its repositories, whose creator has left it. Reads at most 1,000
   * keys.
   */
  async countLeft(left: { account_id: string; repository_id?: string | undefined; created_by: string }, now: number) {
    const { account_id, created_by } = left;
    const page = { limit: limits.listPageMax, after: undefined };
    const { items } = await this.made(account_id, created_by, page, now);
    const live = items.filter(({ state }) => state === 'active');
    const shown = await this.withCreators(live.map(({ repository_id }) => ({ account_id, repository_id, created_by })));
    return shown.filter(({ repository_id, created_by_is_member }) => {
      return !created_by_is_member && (left.repository_id === undefined || repository_id === left.repository_id);
    }).length;
  }
}

function createdKeyOf(item: Item, now: number): CreatedKey {
  const { entity: kind } = decode(kindRecord, item);
  if (kind === 'service_account_key') {
    const key = decode(serviceAccountKeyRecord, item);
    const { service_account_id, key_id, label: name, expires_at, created_at } = key;
    return { kind, service_account_id, key_id, name, state: keyState(key, now), expires_at, created_at };
  }
  const key = decode(apiKeyRecord, item);
  const { access_key_id, repository_id, name, expires: expires_at, created_at, disabled } = key;
  const state = disabled ? 'revoked' : isLiveApiKey(key, now) ? 'active' : 'expired';
  return { kind, access_key_id, repository_id, name, state, expires_at, created_at };
}
