import * as z from 'zod';
import { type ApiKeyRecord, apiKeyRecord, isLiveApiKey } from '../../domain/accounts/api-keys.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { keysToDrop } from '../../domain/secrets/key-rotation.ts';
import type { LeakedKey } from '../../domain/secrets/leaked-keys.ts';
import { dayMs, daySeconds, parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { type Item, inList, keys, listPosition, lists, scopeOf } from '../keys.ts';
import { checkRepositoryExists } from '../repositories/repositories.ts';
import { itemsOf, retryOn, TableStore } from '../table.ts';
import { put, remove, update, type Write } from '../writes.ts';
import { creatorIndexKey } from './key-creators.ts';

/** Maximum number of attempts to create an API key. Simultaneous creations of several keys conflict with each other. */
const createTriesMax = 10;

export class ApiKeyStore extends TableStore {
  /**
   * Creates an API key of an account, or of `repository`. Refuses (409) at the limit of active keys. Simultaneous
   * creations cannot exceed the limit.
   */
  async create(
    key: ApiKeyRecord,
    event: AuditEvent,
    repository: RepositoryRecord | undefined,
    now: number,
  ): Promise<void> {
    const create = async () => this.table.transact(await this.#creationWrites(key, event, repository, now));
    await retryOn(concurrentChange, createTriesMax, create, this.table.pause);
  }

  async #creationWrites(
    key: ApiKeyRecord,
    event: AuditEvent,
    repository: RepositoryRecord | undefined,
    now: number,
  ): Promise<Write[]> {
    const { account_id, access_key_id, created_at, created_by, repository_uid } = key;
    const scope = scopeOf(key);
    const [newestItem, held] = await Promise.all([this.table.get(keys.newestApiKeys(scope)), this.#listAll(key)]);
    const newest = newestKeysIn(newestItem);
    const isListed = (id: string) => held.some((other) => other.access_key_id === id);
    const unlisted = newest.ids.filter((id) => !isListed(id));
    // Ignore keys of a deleted repository with this name, because the stream consumer will soon delete them.
    const isLive = (other: ApiKeyRecord) => isLiveApiKey(other, now) && other.repository_uid === repository_uid;
    if (held.filter(isLive).length + unlisted.length >= limits.apiKeysMax) throw tooManyKeys(scope);
    return [
      put(
        encode('api_key', key, {
          key: keys.apiKey(access_key_id),
          list: inList(lists.apiKeys(scope), created_at, access_key_id),
          sublist: creatorIndexKey(account_id, created_by, created_at, access_key_id),
          deleteAfter: parseTimestamp(key.expires) + limits.expiredKeyRetentionDays * dayMs,
        }),
        { exists: false },
      ),
      newest.with(access_key_id, unlisted, { scope, now }),
      ...keysToDrop(held, isLive).map((dead): Write => remove(keys.apiKey(dead.access_key_id))),
      ...(repository === undefined ? [] : [checkRepositoryExists(repository)]),
      auditWrite(event),
    ];
  }

  async revoke(key: ApiKeyRecord, event: AuditEvent): Promise<void> {
    await this.table.transact([
      update(keys.apiKey(key.access_key_id), { set: { disabled: true } }, { exists: true }),
      auditWrite(event),
    ]);
  }

  /**
   * Revokes the key if the secret matches. The method always sends the same single write, so its duration does not
   * reveal whether a key exists.
   */
  async revokeFound(found: LeakedApiKey, now: number): Promise<void> {
    await this.table.update(
      keys.apiKey(found.access_key_id),
      { set: { reported_at: toTimestamp(now), disabled: true } },
      { equals: { disabled: false, secret_hash: found.secret_hash } },
    );
  }

  /**
   * Revokes an API key that GitHub secret scanning reported, and records the URL of the leak. Returns false for an
   * unknown key or a wrong secret.
   */
  async revokeReported(found: LeakedApiKey, found_at: string, now: number): Promise<boolean> {
    await this.revokeFound(found, now);
    const updated = await this.table.update(
      keys.apiKey(found.access_key_id),
      { set: { found_at, found_time: toTimestamp(now) } },
      { equals: { secret_hash: found.secret_hash } },
    );
    return updated !== undefined;
  }

  /** Returns the reported keys that are not revoked yet and whose secrets match. */
  async findRevocable<Found extends LeakedApiKey>(found: readonly Found[]): Promise<Set<Found>> {
    const items = await this.table.getMany(found.map(({ access_key_id }) => keys.apiKey(access_key_id)));
    return new Set(
      found.filter(({ secret_hash }, index) => {
        const key = decode(apiKeyRecord, items[index]);
        return key !== undefined && !key.disabled && key.secret_hash === secret_hash;
      }),
    );
  }

  positionOf({ created_at, access_key_id }: ApiKeyRecord): string {
    return listPosition(created_at, access_key_id);
  }

  /**
   * Lists the API keys of an account or repository. Their number is limited: when a key is added to a full list,
   * expired and revoked keys are removed.
   */
  async list(scope: KeyScope, page: ListPageRequest): Promise<ListPage<ApiKeyRecord>> {
    return this.table.list(apiKeyRecord, 'lists', lists.apiKeys(scopeOf(scope)), page);
  }

  async #listAll({ account_id, repository_id }: KeyScope): Promise<ApiKeyRecord[]> {
    const partition = lists.apiKeys(scopeOf({ account_id, repository_id }));
    const held = await itemsOf(this.table.listPages('lists', partition, limits.listPageMax));
    return held.map((item) => decode(apiKeyRecord, item));
  }
}

interface KeyScope {
  account_id: string;
  repository_id?: string | undefined;
}

type LeakedApiKey = Pick<Extract<LeakedKey, { kind: 'api_key' }>, 'access_key_id' | 'secret_hash'>;

/**
 * The newest API keys of an account or repository, read with strong consistency. The list of keys is an index, which
 * may not contain them yet.
 */
const newestRecord = z.object({ revision: z.number().optional(), ids: z.array(z.string()).default([]) });

const concurrentChange = conflict('Other keys were created at the same time; read the list of keys and try again');

function newestKeysIn(item: Item | undefined) {
  const { revision, ids } = decode(newestRecord, item ?? {});
  return {
    ids,
    /**
     * Returns the write that adds a new key's ID, for the transaction that creates the key. The write also removes the
     * IDs that the index already contains.
     */
    with(id: string, unlisted: readonly string[], { scope, now }: { scope: string; now: number }): Write {
      const ttl = Math.ceil(now / 1000) + daySeconds;
      return update(
        keys.newestApiKeys(scope),
        { set: { entity: 'newest_api_keys', ids: [...unlisted, id], ttl }, add: { revision: 1 } },
        { equals: { revision } },
        concurrentChange,
      );
    },
  };
}

function tooManyKeys(scope: string): ServiceError {
  return new ServiceError(
    'limit_reached',
    `${scope} has at most ${limits.apiKeysMax} API keys that are neither revoked nor expired; revoke one first`,
  );
}
