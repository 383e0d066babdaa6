import type { AccountRecord } from '../accounts/accounts.ts';
import type { SignInWorkflow } from '../changes/sign-ins.ts';
import type { MatchKeys } from '../ci/matching.ts';
import type { RegisteredIssuerRecord } from '../ci/registered-issuers.ts';
import type { AccountStatus } from '../data/data-access.ts';
import type { SessionRole } from '../secrets/session-credentials.ts';
import type { RefusedSignIn } from './refused-sign-ins.ts';
import type { ServiceAccountKeyRecord, ServiceAccountRecord } from './service-accounts.ts';
import type { PinnedIds, TrustedWorkflowRecord, WorkflowMatch } from './trusted-workflows.ts';

/** A service account and its owner. A sign-in requires that both accounts are enabled. */
export interface ServiceAccountStatus {
  serviceAccount: ServiceAccountRecord | undefined;
  owner: AccountStatus | undefined;
}

/**
 * The user account that the role ARN of a sign-in names. It includes the number of times that the account was disabled.
 */
export type UserAccount = AccountRecord & { times_disabled: number };

/** A sign-in that the credential exchange accepted: of a user's tool, or of a run of a trusted workflow. */
export interface AcceptedSignIn {
  /** The account whose audit trail shows the sign-in. */
  account_id: string;
  role: SessionRole;
  request_id: string;
  now: number;
  workflow?: SignInWorkflow;
  /** The trusted workflow, and the repository's name in the token. Absent for a user's tool. */
  use?: { workflow: TrustedWorkflowRecord; repository: string | null };
}

/** A stored item with trusted workflows, and its key. */
export interface FoundMatch {
  matchKey: string;
  match: WorkflowMatch | undefined;
}

/**
 * The stored items with trusted workflows that can match one token. `ids` is absent if the token contains no numeric
 * IDs.
 */
export interface FoundMatches {
  name: FoundMatch;
  ids: FoundMatch | undefined;
}

/** The reads and writes of the credential exchange. Every read is strongly consistent and takes one round trip. */
export interface ExchangeStore {
  /**
   * Reads the key and the service account that the role ARN names. The service account owns the key in nearly all
   * requests.
   */
  readKeySignIn(
    keyHash: string,
    serviceAccountId: string,
  ): Promise<ServiceAccountStatus & { key: ServiceAccountKeyRecord | undefined }>;
  /**
   * Reads the service account of a key if the role ARN names another service account. This read takes a second round
   * trip.
   */
  readServiceAccount(serviceAccountId: string): Promise<ServiceAccountStatus>;
  /**
   * Reads the trusted workflows under each of the keys. A workflow can be trusted by name or subject, or by the
   * repository's IDs. With `isRegistered`, also reads the issuer that the service account's owner registered.
   */
  readWorkloadSignIn(
    serviceAccountId: string,
    issuer: string,
    keys: readonly MatchKeys[],
    isRegistered: boolean,
  ): Promise<ServiceAccountStatus & { matches: FoundMatches[]; registered: RegisteredIssuerRecord | undefined }>;
  readUserSignIn(accountId: string): Promise<UserAccount | undefined>;
  /**
   * Records a sign-in, at most once per minute for each combination of user or workflow and role. Gives up after 500
   * ms.
   */
  recordSignIn(signIn: AcceptedSignIn): Promise<void>;
  /** Records the time at which the key was used, at most once per minute. */
  recordKeyUse(key: ServiceAccountKeyRecord, now: number): Promise<void>;
  /**
   * Stores the numeric IDs of the first sign-in in the trusted workflow. If a trusted workflow changed after the read,
   * writes nothing and returns false.
   */
  pinWorkflow(workflow: TrustedWorkflowRecord, ids: PinnedIds, matches: FoundMatches): Promise<boolean>;
  /**
   * Records the last refused sign-in for the account that the role ARN names. Each cause is recorded at most once per
   * minute, and each owner of CI repositories has a limit per minute.
   *
   * The function sends one request even if the account does not exist, so that the duration does not reveal this. Gives
   * up after 500 ms.
   */
  recordRefusedSignIn(refused: RefusedSignIn): Promise<void>;
  /**
   * Records that a token names an unknown key of a registered issuer. If `isNoted` is false, sends a request of the
   * same duration that stores nothing. Gives up after 500 ms.
   */
  noteUnknownKey(named: { account_id: string; issuer: string }, now: number, isNoted: boolean): Promise<void>;
}
