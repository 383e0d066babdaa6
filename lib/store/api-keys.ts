import type { ApiKeyRecord } from '../domain/accounts/api-keys.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import type { FoundKey } from '../domain/secrets/found-keys.ts';
import { parseTimestamp, toTimestamp } from '../domain/time.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import type { Condition } from './expressions.ts';
import { keys, listPosition, lists, scopeOf } from './keys.ts';
import { apiKeyRecord } from './records.ts';
import { whileThere } from './repositories.ts';
import type { Table } from './table.ts';

export class ApiKeyStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** `repository` is the one that the key is of, if it is of one. */
  async create(key: ApiKeyRecord, event: AuditEvent, repository: RepositoryRecord | undefined): Promise<void> {
    await this.#table.transact([
      {
        kind: 'put',
        item: encode('api_key', hashedKey(key), {
          key: keys.apiKey(key.access_key_id),
          list: { partition: lists.apiKeys(scopeOf(key)), position: listPosition(key.created_at, key.access_key_id) },
          deleteAfter: parseTimestamp(key.expires) + limits.expiredKeyRetentionDays * 86_400_000,
        }),
        condition: { exists: false },
      },
      ...(repository === undefined ? [] : [whileThere(repository)]),
      auditWrite(event),
    ]);
  }

  async revoke(key: ApiKeyRecord, event: AuditEvent): Promise<void> {
    await this.#table.transact([
      {
        kind: 'update',
        key: keys.apiKey(key.access_key_id),
        change: { set: { disabled: true } },
        condition: { exists: true },
      },
      auditWrite(event),
    ]);
  }

  /**
   * Revokes the key if the secret is its own, in one write that is the same for live, revoked and unknown keys and for
   * wrong secrets. A key of an older release, of whose secret nothing is known yet, keeps what was reported, and the
   * migration compares: `disabled_when_found` is true exactly where `secret_hash` is there, so that the one write
   * disables there and leaves things as they are elsewhere.
   */
  async revokeFound(found: FoundApiKey, now: number): Promise<void> {
    await this.#table.update(
      keys.apiKey(found.access_key_id),
      {
        set: { reported_at: toTimestamp(now) },
        setToFirst: { disabled: ['disabled_when_found', 'disabled'] },
        add: { reported_hashes: new Set([found.secret_hash]) },
      },
      revocableBy(found),
    );
  }

  /** The same for a partner who may know which keys there are, with where it was found. False when it is none of ours. */
  async revokeReported(found: FoundApiKey, found_at: string, now: number): Promise<boolean> {
    await this.revokeFound(found, now);
    const noted = await this.#table.update(
      keys.apiKey(found.access_key_id),
      { set: { found_at, found_time: toTimestamp(now) } },
      { exists: true, equalsOrRoomIn: ofSecret(found) },
    );
    return noted !== undefined;
  }

  /** Those whose revocation would change something. */
  async findRevocable<Found extends FoundApiKey>(found: readonly Found[]): Promise<Set<Found>> {
    const items = await this.#table.getMany(found.map(({ access_key_id }) => keys.apiKey(access_key_id)));
    return new Set(
      found.filter(({ secret_hash }, index) => {
        const key = decode(apiKeyRecord, items[index]);
        return key !== undefined && !key.disabled && (key.secret_hash ?? secret_hash) === secret_hash;
      }),
    );
  }

  /** Where a list goes on after this one. */
  positionOf({ created_at, access_key_id }: ApiKeyRecord): string {
    return listPosition(created_at, access_key_id);
  }

  async list(
    scope: { account_id: string; repository_id?: string | undefined },
    page: ListPageRequest,
  ): Promise<ListPage<ApiKeyRecord>> {
    const found = await this.#table.listPage('lists', lists.apiKeys(scopeOf(scope)), page);
    return { items: found.items.map((item) => decode(apiKeyRecord, item)), next: found.next };
  }
}

type FoundApiKey = Pick<Extract<FoundKey, { kind: 'api_key' }>, 'access_key_id' | 'secret_hash'>;

function revocableBy(found: FoundApiKey): Condition {
  return { exists: true, equals: { disabled: false }, equalsOrRoomIn: ofSecret(found) };
}

/** Strangers send these: a key of an older release keeps so many until the migration has compared them. */
function ofSecret({ secret_hash }: FoundApiKey) {
  return { attribute: 'secret_hash', value: secret_hash, set: 'reported_hashes', countMax: limits.reportedHashesMax };
}

/** With the mark that lets the public revocation disable it in one write. */
export function hashedKey(key: ApiKeyRecord): ApiKeyRecord & { disabled_when_found?: true } {
  return key.secret_hash === undefined ? key : { ...key, disabled_when_found: true };
}
