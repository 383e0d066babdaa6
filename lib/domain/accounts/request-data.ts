import type { DataConnectionRecord } from '../data/data-connections.ts';
import type { OfRepository } from '../data/internal-ids.ts';
import type { RepositoryRecord } from '../data/repositories.ts';
import type { TransferRecord } from '../data/transfers.ts';
import type { ServiceAccountRecord } from '../service-accounts/service-accounts.ts';
import type { AccountRecord } from './accounts.ts';
import type { ApiKeyRecord } from './api-keys.ts';
import type { PersonIdentity } from './callers.ts';
import type { HeldRoles, Membership } from './memberships.ts';

/** What a management request names, to be read in one round trip together with the caller's own account. */
export interface RequestDataQuery {
  callerAccountId?: string | undefined;
  scope?: { account_id: string; repository_id?: string | undefined } | undefined;
  dataConnectionId?: string | undefined;
  serviceAccountId?: string | undefined;
  /** Also where a repository went that had the path of the scope. */
  withForwarding?: boolean;
}

/** A repository that was transferred, and where to; the internal ids tell it from others of its names. */
export interface Forwarding {
  former_uid: string;
  to_account_id: string;
  to_repository_id: string;
  to_uid: string;
}

/** Everything found; what is not there is undefined. `roles` are the caller's in the scope. */
export interface RequestData {
  callerAccount: AccountRecord | undefined;
  account: AccountRecord | undefined;
  repository: RepositoryRecord | undefined;
  forwarding?: Forwarding | undefined;
  roles: HeldRoles;
  dataConnection: DataConnectionRecord | undefined;
  serviceAccount: ServiceAccountRecord | undefined;
}

export type StoredMembership = Membership & OfRepository & { created_at: string };

/** What the management pipeline reads. Every read is strongly consistent and one round trip. */
export interface RequestDataReader {
  findAccountIdOfPerson(person: PersonIdentity): Promise<string | undefined>;
  findApiKey(accessKeyId: string): Promise<ApiKeyRecord | undefined>;
  /** Of a repository's key: whether that repository is still there, rather than none or another of its name. */
  isOfPresentRepository(key: ApiKeyRecord): Promise<boolean>;
  /** The membership's state at this time. */
  findMembership(membershipId: string, now: number): Promise<StoredMembership | undefined>;
  /** As it is at this time. */
  findTransfer(transferId: string, now: number): Promise<TransferRecord | undefined>;
  readRequestData(wanted: RequestDataQuery): Promise<RequestData>;
}
