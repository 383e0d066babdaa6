import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Account } from '../../../lib/domain/accounts/accounts.ts';
import type { MembershipRole, MembershipState } from '../../../lib/domain/accounts/memberships.ts';
import type { AuditEvent } from '../../../lib/domain/changes/audit.ts';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { conflictCodes, ServiceError } from '../../../lib/domain/errors.ts';
import { openTable } from '../../../lib/lambda/table.ts';
import { createTable } from '../../../lib/local/dynamodb/table.ts';
import type { Creation } from '../../../lib/store/accounts/accounts.ts';
import { keys } from '../../../lib/store/keys.ts';
import type { MembershipRecord } from '../../../lib/store/records.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { createStore, type Store } from '../../../lib/store/store.ts';
import type { Table } from '../../../lib/store/table.ts';
import { lookAtTable } from '../../functions/table-items.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';

export interface OpenedStore {
  store: Store;
  table: Table;
  tableName: string;
  client: DynamoDBClient;
}

/** Opens a store over its own table in the engine of the test run. */
export async function openStore(): Promise<OpenedStore> {
  const client = new DynamoDBClient(engineOfThisFile());
  const tableName = `test-${randomUUID()}`;
  await createTable(client, { table_name: tableName });
  await lookAtTable(tableName).stopStream();
  const table = openTable(client, tableName);
  return { store: createStore(table), table, tableName, client };
}

export const now = '2030-01-01T00:00:00.000Z';

export const auditEvent = (account_id: string): AuditEvent => ({
  event_id: randomUUID(),
  time: now,
  kind: 'repository.created',
  account_id,
  actor: { account_id },
  subject: {},
  request_id: 'request',
});

export const newAccount = (account_id: string, changes: Partial<Account> = {}): Account => ({
  account_id,
  account_type: 'user',
  identity_id: `identity of ${account_id}`,
  disabled: false,
  profile: {},
  flags: [],
  ...changes,
});

/** Returns an account in the form in which the table stores it. */
export const accountItem = (account_id: string, changes: Partial<Account> = {}) => ({
  ...newAccount(account_id, changes),
  ...{ created_at: now, version: 1, entity: 'account' },
  ...keys.account(account_id),
});

/** Creates a repository in the table, without a data connection. */
export async function madeRepository(
  tableName: string,
  account_id: string,
  repository_id: string,
  changes: Partial<RepositoryRecord> = {},
): Promise<RepositoryRecord> {
  const repository = newRepository(account_id, repository_id, changes);
  await lookAtTable(tableName).putAll([encodeRepository(repository)]);
  return repository;
}

export const newRepository = (
  account_id: string,
  repository_id: string,
  changes: Partial<RepositoryRecord> = {},
): RepositoryRecord => ({
  account_id,
  repository_id,
  state: 'listed',
  data_mode: 'open',
  featured: 0,
  meta: { title: 'Tides', description: 'Of the sea', tags: 'sea' },
  data: placedOn('store', `${account_id}/${repository_id}/`),
  published: now,
  updated: now,
  disabled: false,
  uid: randomUUID(),
  version: 1,
  ...changes,
});

/** Returns the storage location of a repository on one connection. */
export const placedOn = (data_connection_id: string, prefix: string): RepositoryRecord['data'] => ({
  primary_mirror: data_connection_id,
  mirrors: { [data_connection_id]: { data_connection_id, prefix } },
});

/** Creates an account without counting it against the user's daily limit. */
export const creation = (account_id: string): Creation => ({ event: auditEvent(account_id), counted: undefined });

export const newMembership = (
  account_id: string,
  membership_account_id: string,
  { role = 'owners', state = 'invited' }: { role?: MembershipRole; state?: MembershipState } = {},
): MembershipRecord => ({
  membership_id: randomUUID(),
  account_id,
  membership_account_id,
  role,
  state,
  state_changed: now,
  created_at: now,
});

/** Returns `done`, `conflict` for any conflict code, or the code of the refusal. Throws any other error. */
export async function outcomeOf(step: Promise<unknown>): Promise<string> {
  try {
    await step;
    return 'done';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return conflictCodes.some((code) => code === error.code) ? 'conflict' : error.code;
  }
}
