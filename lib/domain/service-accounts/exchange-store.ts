import type { AccountRecord } from '../accounts/accounts.ts';
import type { SignInWorkflow } from '../changes/sign-ins.ts';
import type { AccountStatus } from '../data/data-access.ts';
import type { SessionRole } from '../secrets/session-credentials.ts';
import type { RefusedSignIn } from './refused-sign-ins.ts';
import type { ServiceAccountKeyRecord, ServiceAccountRecord } from './service-accounts.ts';
import type { PinnedIds, TrustedWorkflowRecord } from './trusted-workflows.ts';

/** A service account with the account that owns it: signing in needs both enabled. */
export interface ServiceAccountStatus {
  serviceAccount: ServiceAccountRecord | undefined;
  owner: AccountStatus | undefined;
}

/** The account that a role names when a person signs in, with how often it was disabled. */
export type PersonAccount = AccountRecord & { times_disabled: number };

/** A sign-in that the exchange accepted: a person's by a tool, or a run's of a trusted workflow. */
export interface AcceptedSignIn {
  /** The account whose audit trail shows it. */
  account_id: string;
  role: SessionRole;
  request_id: string;
  now: number;
  workflow?: SignInWorkflow;
}

/** What the credential exchange reads and writes. Every read is strongly consistent and one round trip. */
export interface ExchangeStore {
  /** The key, and the account that the role names, which is nearly always the key's own. */
  readKeySignIn(
    keyHash: string,
    serviceAccountId: string,
  ): Promise<ServiceAccountStatus & { key: ServiceAccountKeyRecord | undefined }>;
  /** The second round trip, for a key whose account the role does not name. */
  readServiceAccount(serviceAccountId: string): Promise<ServiceAccountStatus>;
  readWorkflowSignIn(
    serviceAccountId: string,
    issuer: string,
    subjectKey: string,
  ): Promise<ServiceAccountStatus & { workflow: TrustedWorkflowRecord | undefined }>;
  readPersonSignIn(accountId: string): Promise<PersonAccount | undefined>;
  /**
   * Records an accepted sign-in for the audit trail of `account_id`, at most once a minute for each role of a person or
   * a workflow. Gives up after half a second.
   */
  recordSignIn(signIn: AcceptedSignIn): Promise<void>;
  /** Notes when the key was used, unless that was noted within the last minute (then it writes nothing). */
  recordKeyUse(key: ServiceAccountKeyRecord, now: number): Promise<void>;
  /**
   * Pins the CI system's numeric ids at a workflow's first sign-in. False when another sign-in pinned other ids in the
   * meantime: then this one is refused.
   */
  pinWorkflow(workflow: TrustedWorkflowRecord, ids: PinnedIds): Promise<boolean>;
  /**
   * Records the last refusal for the account that the role named: each cause at most once a minute, and a bounded number
   * a minute for the owner of the repositories that the tokens come from. Makes the same single request whether there is
   * such an account or not, so that its time reveals nothing. Gives up after half a second.
   */
  recordRefusedSignIn(refused: RefusedSignIn): Promise<void>;
}
