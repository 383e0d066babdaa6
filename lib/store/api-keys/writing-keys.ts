import { isLiveApiKey } from '../../domain/accounts/api-keys.ts';
import { isOfRepository } from '../../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import type { WritingKey, WritingKeys } from '../../domain/data/writing-keys.ts';
import { limits } from '../../domain/limits.ts';
import { grantRecord, keyState, serviceAccountRecord } from '../../domain/service-accounts/service-accounts.ts';
import { decode } from '../codec.ts';
import { keys, lists } from '../keys.ts';
import { type Table, TableStore } from '../table.ts';
import type { ApiKeyStore } from './api-keys.ts';
import type { ServiceAccountKeyStore } from './service-account-keys.ts';

const firstPage = { limit: limits.listPageMax, after: undefined };

/**
 * Lists the keys that can no longer write once a repository is federated-only. API keys of members' own accounts are
 * not listed.
 */
export class WritingKeyStore extends TableStore {
  readonly #apiKeys: Pick<ApiKeyStore, 'list'>;
  readonly #serviceAccountKeys: Pick<ServiceAccountKeyStore, 'listAll'>;

  constructor(
    table: Table,
    apiKeys: Pick<ApiKeyStore, 'list'>,
    serviceAccountKeys: Pick<ServiceAccountKeyStore, 'listAll'>,
  ) {
    super(table);
    this.#apiKeys = apiKeys;
    this.#serviceAccountKeys = serviceAccountKeys;
  }

  /**
   * Returns the active keys that can write to a repository: keys of the repository, of its account, and of service
   * accounts with a grant to write.
   */
  async list(repository: RepositoryRecord, now: number): Promise<WritingKeys> {
    const { account_id, repository_id } = repository;
    const [ofServiceAccounts, ofRepository, ofAccount] = await Promise.all([
      this.#listServiceAccountKeys(repository, now),
      this.#apiKeys.list({ account_id, repository_id }, firstPage),
      this.#apiKeys.list({ account_id }, firstPage),
    ]);
    const apiKeys = [...ofRepository.items, ...ofAccount.items]
      .filter((key) => isLiveApiKey(key, now) && (key.repository_id === undefined || isOfRepository(key, repository)))
      .map(({ access_key_id, repository_id, name, expires: expires_at }): WritingKey => {
        return { kind: 'api_key', access_key_id, repository_id, name, expires_at, last_used_at: null };
      });
    const all = [...ofServiceAccounts.found, ...apiKeys];
    return {
      writing_keys: all.slice(0, limits.writingKeysShownMax),
      has_more: ofServiceAccounts.hasMore || all.length > limits.writingKeysShownMax,
    };
  }

  async #listServiceAccountKeys(repository: RepositoryRecord, now: number) {
    const { account_id, repository_id } = repository;
    const { items, next } = await this.table.list(
      serviceAccountRecord,
      'lists',
      lists.serviceAccounts(account_id),
      firstPage,
    );
    const grants = await this.table.getMany(items.map(({ uid }) => keys.grant(uid, repository_id)));
    const writers = items.filter((_, index) => {
      const grant = decode(grantRecord, grants[index]);
      return grant?.access === 'read_write' && isOfRepository(grant, repository);
    });
    const examined = writers.slice(0, limits.writingServiceAccountsMax);
    const found = await Promise.all(
      examined.map(async (serviceAccount) => {
        const { service_account_id } = serviceAccount;
        const active = (await this.#serviceAccountKeys.listAll(serviceAccount)).filter(
          (key) => keyState(key, now) === 'active',
        );
        return active.map(({ key_id, label: name, expires_at, last_used_at }): WritingKey => {
          return { kind: 'service_account_key', service_account_id, key_id, name, expires_at, last_used_at };
        });
      }),
    );
    return { found: found.flat(), hasMore: next !== undefined || examined.length < writers.length };
  }
}
