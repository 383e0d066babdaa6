import * as z from 'zod';
import {
  type AccessFacts,
  type AccountFacts,
  actingAccountId,
  type HeldRole,
  type ListedRepositoryFacts,
  type Principal,
  type PrincipalRights,
  type RepositoryIdentity,
} from '../domain/data/data-access.ts';
import type { DataConnectionRecord } from '../domain/data/data-connections.ts';
import type { OfRepository } from '../domain/data/internal-ids.ts';
import { repositorySchema } from '../domain/data/repositories.ts';
import { parseServiceAccountId } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { everyPage, type ListPage } from '../domain/list-pages.ts';
import { accountFactsOf, actingAccountFactsOf, withOwnersCount } from './accounts/account-facts.ts';
import { decode } from './codec.ts';
import { type Key, keys, lists, scopeOf } from './keys.ts';
import { apiKeyRecord, dataConnectionRecord, disabledCount, grantRecord, repositoryRecord } from './records.ts';
import type { IdRuleSource } from './repositories/repository-ids.ts';
import { readNamed, roleIn } from './request-facts.ts';
import type { Item, Table } from './table.ts';

const serviceAccountFacts = disabledCount.extend({ uid: z.string(), disabled: z.boolean() });

const listedRepositoryRecord = repositorySchema
  .pick({
    account_id: true,
    repository_id: true,
    state: true,
    data_mode: true,
    disabled: true,
  })
  .extend({ uid: z.string().optional() });

/** The uncached reads behind the data proxy; lib/edge keeps what they return for as long as the bounds allow. */
export class DataAccessStore {
  readonly #table: Table;
  readonly #ids: IdRuleSource;

  constructor(table: Table, ids: IdRuleSource) {
    this.#table = table;
    this.#ids = ids;
  }

  /** One round trip; `connection` is left to `readConnection`, since only the repository tells which it is. */
  async readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
  ): Promise<Omit<AccessFacts, 'connection'>> {
    const signer = principal.kind === 'service_account' ? principal : undefined;
    const actingId = actingAccountId(principal);
    const read = await readNamed(this.#table, {
      owner: keys.account(path.account_id),
      repository: keys.repository(path.account_id, path.repository_id),
      actingAccount: actingId === undefined ? undefined : keys.account(actingId),
      accountRole: actingId === undefined ? undefined : keys.role(actingId, path.account_id),
      repositoryRole: actingId === undefined ? undefined : keys.role(actingId, scopeOf(path)),
      serviceAccount: signer === undefined ? undefined : keys.account(signer.service_account_id),
      grant: signer === undefined ? undefined : keys.grant(signer.service_account_uid, path.repository_id),
    });
    return {
      owner: accountFactsOf(read.owner),
      repository: decode(repositoryRecord, read.repository),
      actingAccount: actingAccountFactsOf(read.actingAccount),
      roles: { account: roleIn(read.accountRole)?.role, repository: roleIn(read.repositoryRole) },
      serviceAccount: serviceAccountFactsOf(read.serviceAccount, read.owner),
      grant: decode(grantRecord, read.grant),
      ...(await this.#ids.ruleFor([read.grant, ...ofEverySigner(principal)])),
    };
  }

  async readRights(principal: Principal): Promise<PrincipalRights> {
    const actingId = actingAccountId(principal);
    const signer = principal.kind === 'service_account' ? principal : undefined;
    const [read, roles, grants] = await Promise.all([
      readNamed(this.#table, {
        actingAccount: actingId === undefined ? undefined : keys.account(actingId),
        serviceAccount: signer === undefined ? undefined : keys.account(signer.service_account_id),
        owner: signer === undefined ? undefined : keys.account(ownerOf(signer.service_account_id)),
      }),
      actingId === undefined ? [] : this.#readRoles(actingId),
      signer === undefined ? [] : this.#readBelow(keys.grant(signer.service_account_uid, '')),
    ]);
    const granted = grants.map((item) => decode(grantRecord, item));
    return {
      actingAccount: actingAccountFactsOf(read.actingAccount),
      roles,
      serviceAccount: serviceAccountFactsOf(read.serviceAccount, read.owner),
      grants: new Map(granted.map((grant) => [grant.repository_id, grant])),
      ...(await this.#ids.ruleFor([...granted, ...ofEverySigner(principal)])),
    };
  }

  async readAccounts(accountIds: readonly string[]): Promise<AccountFacts[]> {
    const items = await this.#table.getMany(accountIds.map(keys.account));
    return items.flatMap((item) => accountFactsOf(item) ?? []);
  }

  async readIdentities(paths: readonly { account_id: string; repository_id: string }[]): Promise<RepositoryIdentity[]> {
    const items = await this.#table.getMany(paths.map((path) => keys.repository(path.account_id, path.repository_id)));
    return items.flatMap((item) => decode(repositoryRecord, item) ?? []);
  }

  async readRepositories(accountId: string): Promise<ListedRepositoryFacts[]> {
    const attributes = listedRepositoryRecord.keyof().options;
    const items = await readToEnd((after) =>
      this.#table.listPage('lists', lists.repositories(accountId), { limit: limits.listPageMax, after, attributes }),
    );
    return items.map((item) => decode(listedRepositoryRecord, item));
  }

  async #readRoles(memberId: string): Promise<HeldRole[]> {
    const start = keys.role(memberId, '');
    return (await this.#readBelow(start)).flatMap((item) => {
      const role = roleIn(item);
      const [account_id = '', repository_id] = String(item['sk']).slice(start.sk.length).split('/');
      return role === undefined ? [] : [{ account_id, repository_id, ...role }];
    });
  }

  /** The items of a partition whose sort keys begin like this one, which ends in `#`. */
  #readBelow({ pk, sk }: Key): Promise<Item[]> {
    // `$` follows `#`.
    const range = { from: sk, to: `${sk.slice(0, -1)}$` };
    return readToEnd((after) => this.#table.partitionPage(pk, range, { limit: limits.listPageMax, after }));
  }

  async readConnection(dataConnectionId: string): Promise<DataConnectionRecord | undefined> {
    return decode(dataConnectionRecord, await this.#table.get(keys.dataConnection(dataConnectionId)));
  }

  async readApiKey(accessKeyId: string) {
    return decode(apiKeyRecord, await this.#table.get(keys.apiKey(accessKeyId)));
  }
}

async function readToEnd(readPage: (after: string | undefined) => Promise<ListPage<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of everyPage(readPage)) items.push(...page);
  return items;
}

/** What is read for one key of an account is cached for all of them and for its person, and some may be of a repository and without its id. */
function ofEverySigner(principal: Principal): OfRepository[] {
  return actingAccountId(principal) === undefined ? [] : [{}];
}

function ownerOf(serviceAccountId: string): string {
  return parseServiceAccountId(serviceAccountId)?.owner_account_id ?? serviceAccountId;
}

function serviceAccountFactsOf(item: Item | undefined, owner: Item | undefined): AccessFacts['serviceAccount'] {
  const facts = decode(serviceAccountFacts, item);
  return facts && withOwnersCount(facts, owner);
}
