import type { AccountRecord } from '../accounts/accounts.ts';
import type { SignInWorkflow } from '../changes/sign-ins.ts';
import type { MatchKeys } from '../ci/matching.ts';
import type { RegisteredIssuerRecord } from '../ci/registered-issuers.ts';
import type { AccountStatus } from '../data/data-access.ts';
import type { SessionRole } from '../secrets/session-credentials.ts';
import type { RefusedSignIn } from './refused-sign-ins.ts';
import type { ServiceAccountKeyRecord, ServiceAccountRecord } from './service-accounts.ts';
import type { PinnedIds, TrustedWorkflowRecord, WorkflowMatch } from './trusted-workflows.ts';

/** A service account and its owner. A sign-in requires that both are enabled. */
export interface ServiceAccountStatus {
  serviceAccount: ServiceAccountRecord | undefined;
  owner: AccountStatus | undefined;
}

/** The account in the role of a user's sign-in, with its counter of disablings. */
export type UserAccount = AccountRecord & { times_disabled: number };

/** A sign-in that the exchange accepted: by a user's tool, or by a run of a trusted workflow. */
export interface AcceptedSignIn {
  /** The account whose audit trail shows the sign-in. */
  account_id: string;
  role: SessionRole;
  request_id: string;
  now: number;
  workflow?: SignInWorkflow;
  /** For a workflow: the record, and the name of the repository in the token. */
  use?: { workflow: TrustedWorkflowRecord; repository: string | null };
}

/** An item of trusted workflows with its key. */
export interface FoundMatch {
  matchKey: string;
  match: WorkflowMatch | undefined;
}

/** The items of trusted workflows for one token. `ids` is absent if the token names no IDs. */
export interface FoundMatches {
  name: FoundMatch;
  ids: FoundMatch | undefined;
}

/** The reads and writes of the credential exchange. Every read is strongly consistent and takes one round trip. */
export interface ExchangeStore {
  /** Reads the key and the account in the role. In nearly all requests, the account is that of the key. */
  readKeySignIn(
    keyHash: string,
    serviceAccountId: string,
  ): Promise<ServiceAccountStatus & { key: ServiceAccountKeyRecord | undefined }>;
  /** Reads the account of a key if the role names another account. This is the second round trip. */
  readServiceAccount(serviceAccountId: string): Promise<ServiceAccountStatus>;
  /**
   * Reads the workflows that are trusted by name or subject, and by the IDs of the repository, for each of the keys.
   * With `isRegistered`, also reads the issuer as the owner of the service account registered it.
   */
  readWorkloadSignIn(
    serviceAccountId: string,
    issuer: string,
    keys: readonly MatchKeys[],
    isRegistered: boolean,
  ): Promise<ServiceAccountStatus & { matches: FoundMatches[]; registered: RegisteredIssuerRecord | undefined }>;
  readUserSignIn(accountId: string): Promise<UserAccount | undefined>;
  /** Records a sign-in, at most once a minute for each role of a user or a workflow. Gives up after 500 ms. */
  recordSignIn(signIn: AcceptedSignIn): Promise<void>;
  /** Records the time of use of the key, at most once a minute. */
  recordKeyUse(key: ServiceAccountKeyRecord, now: number): Promise<void>;
  /** Pins the IDs of a first sign-in. Returns false and writes nothing if a trusted workflow changed after the read. */
  pinWorkflow(workflow: TrustedWorkflowRecord, ids: PinnedIds, matches: FoundMatches): Promise<boolean>;
  /**
   * Records the last refusal for the account in the role. Each cause is recorded at most once a minute, with a limit
   * per minute for each owner of CI repositories. It sends the same single request even if the account does not exist,
   * so that its duration reveals nothing. Gives up after 500 ms.
   */
  recordRefusedSignIn(refused: RefusedSignIn): Promise<void>;
  /**
   * Notes that a token names an unknown key of a registered issuer. With `isNoted` false, sends the same request and
   * stores nothing. Gives up after 500 ms.
   */
  noteUnknownKey(named: { account_id: string; issuer: string }, now: number, isNoted: boolean): Promise<void>;
}
