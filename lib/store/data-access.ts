import * as z from 'zod';
import type { AccessFacts, AccountFacts, Principal } from '../domain/data-access.ts';
import type { DataConnectionRecord } from '../domain/data-connections.ts';
import { grantSchema } from '../domain/service-accounts.ts';
import { decode } from './codec.ts';
import { keys, scopeOf } from './keys.ts';
import { accountRecord, apiKeyRecord, dataConnectionRecord, repositoryRecord } from './records.ts';
import { readNamed, roleIn } from './request-facts.ts';
import type { Item, Table } from './table.ts';

const serviceAccountFacts = z.object({ uid: z.string(), disabled: z.boolean() });

/** The uncached reads behind the data proxy; lib/runtime keeps what they return for as long as the bounds allow. */
export class DataAccessStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** One round trip; `connection` is left to `readConnection`, since only the repository tells which it is. */
  async readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
  ): Promise<Omit<AccessFacts, 'connection'>> {
    const signer = principal.kind === 'service_account' ? principal : undefined;
    const keyAccountId = principal.kind === 'api_key' ? principal.account_id : undefined;
    const read = await readNamed(this.#table, {
      owner: keys.account(path.account_id),
      repository: keys.repository(path.account_id, path.repository_id),
      keyAccount: keyAccountId === undefined ? undefined : keys.account(keyAccountId),
      accountRole: keyAccountId === undefined ? undefined : keys.role(keyAccountId, path.account_id),
      repositoryRole: keyAccountId === undefined ? undefined : keys.role(keyAccountId, scopeOf(path)),
      serviceAccount: signer === undefined ? undefined : keys.account(signer.service_account_id),
      grant: signer === undefined ? undefined : keys.grant(signer.service_account_uid, path.repository_id),
    });
    return {
      owner: accountFactsOf(read.owner),
      repository: decode(repositoryRecord, read.repository),
      keyAccount: accountFactsOf(read.keyAccount),
      roles: { account: roleIn(read.accountRole), repository: roleIn(read.repositoryRole) },
      serviceAccount: decode(serviceAccountFacts, read.serviceAccount),
      grant: decode(grantSchema, read.grant)?.access,
    };
  }

  async readConnection(dataConnectionId: string): Promise<DataConnectionRecord | undefined> {
    return decode(dataConnectionRecord, await this.#table.get(keys.dataConnection(dataConnectionId)));
  }

  async readApiKey(accessKeyId: string) {
    return decode(apiKeyRecord, await this.#table.get(keys.apiKey(accessKeyId)));
  }
}

function accountFactsOf(item: Item | undefined): AccountFacts | undefined {
  const account = decode(accountRecord, item);
  return account && { account_id: account.account_id, account_type: account.account_type, disabled: account.disabled };
}
