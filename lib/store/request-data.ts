import { accountRecord } from '../domain/accounts/accounts.ts';
import { type ApiKeyRecord, apiKeyRecord } from '../domain/accounts/api-keys.ts';
import type { UserIdentity } from '../domain/accounts/callers.ts';
import { membershipAt } from '../domain/accounts/memberships.ts';
import type { RequestData, RequestDataQuery, RequestDataReader } from '../domain/accounts/request-data.ts';
import { dataConnectionRecord } from '../domain/data/data-connections.ts';
import { isOfRepository } from '../domain/data/internal-ids.ts';
import { repositoryRecord } from '../domain/data/repositories.ts';
import { transferAt, transferRecord } from '../domain/data/transfers.ts';
import { serviceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { Identities } from './accounts/accounts.ts';
import { decode } from './codec.ts';
import { keys, scopeOf } from './keys.ts';
import { forwardingRecord, membershipRecord, parseRole } from './records.ts';
import { type Table, TableStore } from './table.ts';

export class TableRequestData extends TableStore implements RequestDataReader {
  readonly #identities: Identities;

  constructor(table: Table, identities: Identities) {
    super(table);
    this.#identities = identities;
  }

  findAccountIdOfUser(user: UserIdentity): Promise<string | undefined> {
    return this.#identities.findAccountId(user);
  }

  async findApiKey(accessKeyId: string) {
    return this.table.find(apiKeyRecord, keys.apiKey(accessKeyId));
  }

  async isOfPresentRepository(key: ApiKeyRecord): Promise<boolean> {
    const item = await this.table.get(keys.repository(key.account_id, key.repository_id ?? ''));
    return isOfRepository(key, decode(repositoryRecord, item));
  }

  async findMembership(membershipId: string, now: number) {
    const membership = await this.table.find(membershipRecord, keys.membership(membershipId));
    return membership && membershipAt(membership, now);
  }

  async findTransfer(transferId: string, now: number) {
    const transfer = await this.table.find(transferRecord, keys.transfer(transferId));
    return transfer && transferAt(transfer, now);
  }

  async findDataConnection(dataConnectionId: string) {
    return this.table.find(dataConnectionRecord, keys.dataConnection(dataConnectionId));
  }

  async readRequestData(wanted: RequestDataQuery): Promise<RequestData> {
    const read = await this.table.getNamed(requestDataKeys(wanted));
    return {
      callerAccount: decode(accountRecord, read.callerAccount),
      account: decode(accountRecord, read.account),
      repository: decode(repositoryRecord, read.repository),
      forwarding: decode(forwardingRecord, read.forwarding),
      roles: { account: parseRole(read.accountRole)?.role, repository: parseRole(read.repositoryRole) },
      serviceAccount: decode(serviceAccountRecord, read.serviceAccount),
    };
  }
}

function requestDataKeys({ callerAccountId, scope, serviceAccountId, withForwarding }: RequestDataQuery) {
  const inScope = callerAccountId !== undefined && scope !== undefined;
  const repositoryId = scope?.repository_id;
  return {
    callerAccount: callerAccountId === undefined ? undefined : keys.account(callerAccountId),
    account: scope === undefined ? undefined : keys.account(scope.account_id),
    repository:
      scope === undefined || repositoryId === undefined ? undefined : keys.repository(scope.account_id, repositoryId),
    forwarding:
      withForwarding && repositoryId !== undefined ? keys.forwarding(scope?.account_id ?? '', repositoryId) : undefined,
    accountRole: inScope ? keys.role(callerAccountId, scope.account_id) : undefined,
    repositoryRole: inScope && repositoryId !== undefined ? keys.role(callerAccountId, scopeOf(scope)) : undefined,
    serviceAccount: serviceAccountId === undefined ? undefined : keys.account(serviceAccountId),
  };
}
