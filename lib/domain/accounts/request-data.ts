import type { DataConnectionRecord } from '../data/data-connections.ts';
import type { OfRepository } from '../data/internal-ids.ts';
import type { RepositoryRecord } from '../data/repositories.ts';
import type { TransferRecord } from '../data/transfers.ts';
import type { ServiceAccountRecord } from '../service-accounts/service-accounts.ts';
import type { AccountRecord } from './accounts.ts';
import type { ApiKeyRecord } from './api-keys.ts';
import type { UserIdentity } from './callers.ts';
import type { HeldRoles, Membership } from './memberships.ts';

/**
 * The resources that a management request needs. One round trip to the database reads all of them, together with the
 * caller's own account.
 */
export interface RequestDataQuery {
  callerAccountId?: string | undefined;
  scope?: { account_id: string; repository_id?: string | undefined } | undefined;
  serviceAccountId?: string | undefined;
  /** True to read the forwarding record of a repository that had this path before its transfer to another account. */
  withForwarding?: boolean;
}

/**
 * The old and new path of a transferred repository. The internal IDs distinguish it from other repositories with the
 * same names.
 */
export interface Forwarding {
  former_uid: string;
  to_account_id: string;
  to_repository_id: string;
  to_uid: string;
}

/**
 * The resources of a management request. A resource that does not exist is undefined. `roles` are the caller's roles in
 * the scope.
 */
export interface RequestData {
  callerAccount: AccountRecord | undefined;
  account: AccountRecord | undefined;
  repository: RepositoryRecord | undefined;
  forwarding?: Forwarding | undefined;
  roles: HeldRoles;
  serviceAccount: ServiceAccountRecord | undefined;
}

export type StoredMembership = Membership & OfRepository & { created_at: string };

/** The database reads for management requests. Every read is strongly consistent and takes one round trip. */
export interface RequestDataReader {
  findAccountIdOfUser(user: UserIdentity): Promise<string | undefined>;
  findApiKey(accessKeyId: string): Promise<ApiKeyRecord | undefined>;
  /** Returns true if the repository of the key still exists. A new repository with the same name does not count. */
  isOfPresentRepository(key: ApiKeyRecord): Promise<boolean>;
  /** Returns the membership with its state at the time `now`, because an open invitation can have expired. */
  findMembership(membershipId: string, now: number): Promise<StoredMembership | undefined>;
  /** Returns the transfer with its state at the time `now`, because an open offer can have expired. */
  findTransfer(transferId: string, now: number): Promise<TransferRecord | undefined>;
  findDataConnection(dataConnectionId: string): Promise<DataConnectionRecord | undefined>;
  readRequestData(wanted: RequestDataQuery): Promise<RequestData>;
}
