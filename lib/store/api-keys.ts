import type { ApiKeyRecord } from '../domain/accounts/api-keys.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import { limits } from '../domain/limits.ts';
import type { Page, PageRequest } from '../domain/pages.ts';
import { parseTimestamp } from '../domain/time.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
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
        item: encode('api_key', key, {
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

  /** Where a list goes on after this one. */
  positionOf({ created_at, access_key_id }: ApiKeyRecord): string {
    return listPosition(created_at, access_key_id);
  }

  async list(
    scope: { account_id: string; repository_id?: string | undefined },
    page: PageRequest,
  ): Promise<Page<ApiKeyRecord>> {
    const found = await this.#table.listPage('lists', lists.apiKeys(scopeOf(scope)), page);
    return { items: found.items.map((item) => decode(apiKeyRecord, item)), next: found.next };
  }
}
