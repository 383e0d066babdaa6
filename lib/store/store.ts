import type { Clock } from '../domain/time.ts';
import { AccountEndStore } from './account-ends.ts';
import { AccountStore } from './accounts.ts';
import { ApiKeyStore } from './api-keys.ts';
import { AuditEventStore } from './audit.ts';
import { DataConnectionStore } from './data-connections.ts';
import { TableIdempotencyStore } from './idempotency.ts';
import { Identities } from './identities.ts';
import { BlockedAccountStore } from './invitations/blocked-accounts.ts';
import { OpenInvitations } from './invitations/open-invitations.ts';
import { KeyMakerStore } from './key-makers.ts';
import { MembershipStore } from './memberships/memberships.ts';
import { FinishedMigrations } from './migrations/finished-migrations.ts';
import { PublicPlaceStore } from './public-places.ts';
import { RefusedSignInStore } from './refused-sign-ins.ts';
import { RepositoryStore } from './repositories.ts';
import { RepositoryCountStore } from './repository-counts.ts';
import { RepositoryEndStore } from './repository-ends.ts';
import { IdRuleSource } from './repository-ids.ts';
import { RepositoryLists } from './repository-lists.ts';
import { TableRequestFacts } from './request-facts.ts';
import { ServiceAccountKeyStore } from './service-account-keys.ts';
import { ServiceAccountStore } from './service-accounts.ts';
import type { Table } from './table.ts';
import { TransferStore } from './transfers/transfers.ts';
import { TrustedWorkflowStore } from './trusted-workflows.ts';

/** What the management operations change and list, by entity. */
export interface Store {
  facts: TableRequestFacts;
  accounts: AccountStore;
  accountEnds: AccountEndStore;
  apiKeys: ApiKeyStore;
  auditEvents: AuditEventStore;
  blockedAccounts: BlockedAccountStore;
  dataConnections: DataConnectionStore;
  idempotency: TableIdempotencyStore;
  invitations: OpenInvitations;
  keyMakers: KeyMakerStore;
  memberships: MembershipStore;
  migrations: FinishedMigrations;
  refusedSignIns: RefusedSignInStore;
  publicPlaces: PublicPlaceStore;
  repositories: RepositoryStore;
  repositoryCounts: RepositoryCountStore;
  repositoryEnds: RepositoryEndStore;
  repositoryIds: IdRuleSource;
  repositoryLists: RepositoryLists;
  serviceAccountKeys: ServiceAccountKeyStore;
  serviceAccounts: ServiceAccountStore;
  transfers: TransferStore;
  trustedWorkflows: TrustedWorkflowStore;
}

export function createStore(table: Table, clock: Clock): Store {
  const migrations = new FinishedMigrations(table, clock);
  const identities = new Identities(table, migrations);
  const repositoryIds = new IdRuleSource(migrations);
  const invitations = new OpenInvitations(table);
  const repositoryCounts = new RepositoryCountStore(table);
  const keyMakers = new KeyMakerStore(table);
  const memberships = new MembershipStore(table, repositoryIds, invitations);
  const transfers = new TransferStore(table, invitations, repositoryCounts);
  return {
    facts: new TableRequestFacts(table, identities, repositoryIds),
    accounts: new AccountStore(table, identities),
    accountEnds: new AccountEndStore(table, identities, memberships, transfers),
    apiKeys: new ApiKeyStore(table),
    auditEvents: new AuditEventStore(table),
    blockedAccounts: new BlockedAccountStore(table),
    dataConnections: new DataConnectionStore(table),
    idempotency: new TableIdempotencyStore(table),
    invitations,
    keyMakers,
    memberships,
    migrations,
    refusedSignIns: new RefusedSignInStore(table),
    publicPlaces: new PublicPlaceStore(table),
    repositories: new RepositoryStore(table, repositoryCounts),
    repositoryCounts,
    repositoryEnds: new RepositoryEndStore(table, memberships, transfers),
    repositoryIds,
    repositoryLists: new RepositoryLists(table, migrations),
    serviceAccountKeys: new ServiceAccountKeyStore(table, keyMakers),
    serviceAccounts: new ServiceAccountStore(table),
    transfers,
    trustedWorkflows: new TrustedWorkflowStore(table),
  };
}
