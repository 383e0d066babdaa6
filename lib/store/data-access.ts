import { apiKeyRecord } from '../domain/accounts/api-keys.ts';
import {
  type AccountStatus,
  type AuthorizationData,
  actingAccountId,
  type HeldRole,
  type ListedRepositoryStatus,
  type NamesRange,
  type NamesShare,
  type Principal,
  type PrincipalRights,
} from '../domain/data/data-access.ts';
import { type DataConnectionRecord, dataConnectionRecord } from '../domain/data/data-connections.ts';
import { repositoryRecord } from '../domain/data/repositories.ts';
import { type RepositoryVersionRecord, repositoryVersionRecord } from '../domain/data/repository-versions.ts';
import { parseServiceAccountId } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage } from '../domain/list-pages.ts';
import { grantRecord, serviceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { accountStatusOf, actingAccountStatusOf, withOwnersCount } from './accounts/account-status.ts';
import { decode } from './codec.ts';
import { type Item, type Key, keys, scopeOf } from './keys.ts';
import { parseRole } from './records.ts';
import { decodeListedRepository, listedAttributes, RepositoryNames } from './repositories/repository-names.ts';
import { itemsOf, type Table, TableStore } from './table.ts';

const serviceAccountStatusRecord = serviceAccountRecord.pick({
  uid: true,
  disabled: true,
  times_disabled: true,
  ended_sources: true,
  federated_only: true,
});

/** The data proxy's reads of authorization data, without a cache. lib/edge caches the results. */
export class DataAccessStore extends TableStore {
  readonly #names: RepositoryNames;

  constructor(table: Table) {
    super(table);
    this.#names = new RepositoryNames(table);
  }

  /**
   * Reads the authorization data for a repository in one round trip, except for its data connection. The ID of the
   * connection is known only after the repository was read.
   */
  async readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
  ): Promise<Omit<AuthorizationData, 'connection'>> {
    const signer = principal.kind === 'service_account' ? principal : undefined;
    const actingId = actingAccountId(principal);
    const read = await this.table.getNamed({
      owner: keys.account(path.account_id),
      repository: keys.repository(path.account_id, path.repository_id),
      actingAccount: actingId === undefined ? undefined : keys.account(actingId),
      accountRole: actingId === undefined ? undefined : keys.role(actingId, path.account_id),
      repositoryRole: actingId === undefined ? undefined : keys.role(actingId, scopeOf(path)),
      serviceAccount: signer === undefined ? undefined : keys.account(signer.service_account_id),
      grant: signer === undefined ? undefined : keys.grant(signer.service_account_uid, path.repository_id),
    });
    return {
      owner: accountStatusOf(read.owner),
      repository: decode(repositoryRecord, read.repository),
      actingAccount: actingAccountStatusOf(read.actingAccount),
      roles: { account: parseRole(read.accountRole)?.role, repository: parseRole(read.repositoryRole) },
      serviceAccount: serviceAccountStatusOf(read.serviceAccount, read.owner),
      grant: decode(grantRecord, read.grant),
    };
  }

  async readRights(principal: Principal): Promise<PrincipalRights> {
    const actingId = actingAccountId(principal);
    const signer = principal.kind === 'service_account' ? principal : undefined;
    const [read, roles, grants] = await Promise.all([
      this.table.getNamed({
        actingAccount: actingId === undefined ? undefined : keys.account(actingId),
        serviceAccount: signer === undefined ? undefined : keys.account(signer.service_account_id),
        owner: signer === undefined ? undefined : keys.account(ownerOf(signer.service_account_id)),
      }),
      actingId === undefined ? [] : this.#readRoles(actingId),
      signer === undefined ? [] : this.#readBelow(keys.grant(signer.service_account_uid, '')),
    ]);
    const granted = grants.map((item) => decode(grantRecord, item));
    return {
      actingAccount: actingAccountStatusOf(read.actingAccount),
      roles,
      serviceAccount: serviceAccountStatusOf(read.serviceAccount, read.owner),
      grants: new Map(granted.map((grant) => [grant.repository_id, grant])),
    };
  }

  async readAccounts(accountIds: readonly string[]): Promise<AccountStatus[]> {
    const items = await this.table.getMany(accountIds.map(keys.account));
    return items.flatMap((item) => accountStatusOf(item) ?? []);
  }

  async readRepositories(
    paths: readonly { account_id: string; repository_id: string }[],
  ): Promise<ListedRepositoryStatus[]> {
    const wanted = paths.map((path) => keys.repository(path.account_id, path.repository_id));
    const items = await this.table.getMany(wanted, listedAttributes);
    return items.flatMap((item) => (item === undefined ? [] : decodeListedRepository(item)));
  }

  readNames(accountId: string, share: NamesShare, range: NamesRange): Promise<ListPage<ListedRepositoryStatus>> {
    return this.#names.page(accountId, share, range);
  }

  async #readRoles(memberId: string): Promise<HeldRole[]> {
    const start = keys.role(memberId, '');
    return (await this.#readBelow(start)).flatMap((item) => {
      const role = parseRole(item);
      const [account_id = '', repository_id] = String(item['sk']).slice(start.sk.length).split('/');
      return role === undefined ? [] : [{ account_id, repository_id, ...role }];
    });
  }

  /** Reads the items of a partition whose sort keys begin with `sk`, which ends in `#`. */
  #readBelow({ pk, sk }: Key): Promise<Item[]> {
    // The range ends at `$`, which is the character after `#` in ASCII.
    const range = { from: sk, to: `${sk.slice(0, -1)}$` };
    return itemsOf(this.table.partitionPages(pk, range, limits.listPageMax));
  }

  async readConnection(dataConnectionId: string): Promise<DataConnectionRecord | undefined> {
    return this.table.find(dataConnectionRecord, keys.dataConnection(dataConnectionId));
  }

  async readVersion(versionsUid: string, name: string): Promise<RepositoryVersionRecord | undefined> {
    return this.table.find(repositoryVersionRecord, keys.repositoryVersion(versionsUid, name));
  }

  async readApiKey(accessKeyId: string) {
    return this.table.find(apiKeyRecord, keys.apiKey(accessKeyId));
  }
}

function ownerOf(serviceAccountId: string): string {
  return parseServiceAccountId(serviceAccountId)?.owner_account_id ?? serviceAccountId;
}

function serviceAccountStatusOf(item: Item | undefined, owner: Item | undefined): AuthorizationData['serviceAccount'] {
  const status = decode(serviceAccountStatusRecord, item);
  return status && withOwnersCount(status, owner);
}
