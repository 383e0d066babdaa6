import { AccountEndStore } from './accounts/account-ends.ts';
import { AccountNameStore, AccountStore, Identities } from './accounts/accounts.ts';
import { ApiKeyStore } from './api-keys/api-keys.ts';
import { KeyCreatorStore } from './api-keys/key-creators.ts';
import { ServiceAccountKeyStore } from './api-keys/service-account-keys.ts';
import { AuditEventStore } from './audit.ts';
import { DataCredentialStore } from './data-credentials.ts';
import { EndedSessionStore } from './ended-sessions.ts';
import { TableIdempotencyStore } from './idempotency.ts';
import { InvitationLinkStore } from './invitations/invitation-links.ts';
import { BlockedAccountStore, OpenInvitations } from './invitations/open-invitations.ts';
import { LinkStore } from './links.ts';
import { MembershipStore } from './memberships/memberships.ts';
import { RefusedSignInStore } from './refused-sign-in-audit.ts';
import { RegisteredIssuerStore } from './registered-issuers.ts';
import { InventoryStore } from './repositories/inventories.ts';
import { PublicIndexStore, RepositoryCountStore, RepositoryStore } from './repositories/repositories.ts';
import { RepositoryEndStore } from './repositories/repository-ends.ts';
import { RepositoryLists } from './repositories/repository-lists.ts';
import { RepositoryVersionStore } from './repositories/repository-versions.ts';
import { TableRequestData } from './request-data.ts';
import { SearchIndexStore } from './search/search-index.ts';
import { ServiceAccountStore } from './service-accounts.ts';
import { StorageHealthStore } from './storage-health.ts';
import type { Table } from './table.ts';
import { TransferStore } from './transfers/transfers.ts';
import { TrustedWorkflowStore } from './trusted-workflows.ts';
import { UsageStore } from './usage.ts';

/** The stores that the management operations use. Each one handles one type of resource. */
export type Store = ReturnType<typeof createStore>;

export function createStore(table: Table) {
  const identities = new Identities(table);
  const invitations = new OpenInvitations(table);
  const repositoryCounts = new RepositoryCountStore(table);
  const keyCreators = new KeyCreatorStore(table);
  const apiKeys = new ApiKeyStore(table);
  const serviceAccountKeys = new ServiceAccountKeyStore(table, keyCreators);
  const memberships = new MembershipStore(table, invitations);
  const transfers = new TransferStore(table, invitations, repositoryCounts);
  return {
    /**
     * The table itself, for the few functions that need a rarely used store. Without that store, the bundles of all
     * other functions are smaller.
     */
    table,
    requestData: new TableRequestData(table, identities),
    accounts: new AccountStore(table, identities),
    accountEnds: new AccountEndStore(table, identities, memberships, transfers),
    accountNames: new AccountNameStore(table),
    apiKeys,
    auditEvents: new AuditEventStore(table),
    blockedAccounts: new BlockedAccountStore(table),
    dataCredentials: new DataCredentialStore(table),
    endedSessions: new EndedSessionStore(table),
    idempotency: new TableIdempotencyStore(table),
    inventories: new InventoryStore(table),
    invitationLinks: new InvitationLinkStore(table),
    invitations,
    keyCreators,
    links: new LinkStore(table),
    memberships,
    refusedSignIns: new RefusedSignInStore(table),
    registeredIssuers: new RegisteredIssuerStore(table),
    publicIndexKeys: new PublicIndexStore(table),
    repositories: new RepositoryStore(table, repositoryCounts),
    repositoryCounts,
    repositoryEnds: new RepositoryEndStore(table, memberships, transfers),
    repositoryLists: new RepositoryLists(table),
    repositoryVersions: new RepositoryVersionStore(table),
    searchIndex: new SearchIndexStore(table),
    serviceAccountKeys,
    serviceAccounts: new ServiceAccountStore(table),
    storageHealth: new StorageHealthStore(table),
    transfers,
    trustedWorkflows: new TrustedWorkflowStore(table),
    usage: new UsageStore(table),
  };
}
