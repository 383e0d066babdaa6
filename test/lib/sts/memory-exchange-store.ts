import type { MatchKey, MatchKeys } from '../../../lib/domain/ci/matching.ts';
import type { RegisteredIssuerRecord } from '../../../lib/domain/ci/registered-issuers.ts';
import type {
  AcceptedSignIn,
  ExchangeStore,
  FoundMatches,
  UserAccount,
} from '../../../lib/domain/service-accounts/exchange-store.ts';
import type { RefusedSignIn } from '../../../lib/domain/service-accounts/refused-sign-ins.ts';
import type {
  ServiceAccountKeyRecord,
  ServiceAccountRecord,
} from '../../../lib/domain/service-accounts/service-accounts.ts';
import type { PinnedIds, TrustedWorkflowRecord } from '../../../lib/domain/service-accounts/trusted-workflows.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { matchKeyOf } from '../../../lib/store/keys.ts';

/** An exchange store in memory that records its requests in order. */
export class MemoryExchangeStore implements ExchangeStore {
  readonly requests: string[] = [];
  /** The IDs of the service accounts that were read, in order. */
  readonly accountsRead: string[] = [];
  readonly keys = new Map<string, ServiceAccountKeyRecord>();
  readonly serviceAccounts = new Map<string, ServiceAccountRecord>();
  readonly users = new Map<string, UserAccount>();
  readonly signIns: AcceptedSignIn[] = [];
  failSignIn = false;
  readonly disabledOwners = new Set<string>();
  readonly workflows: TrustedWorkflowRecord[] = [];
  readonly refusedSignIns: RefusedSignIn[] = [];
  /** The registered issuers, by account and issuer URL. */
  readonly registeredIssuers = new Map<string, RegisteredIssuerRecord>();
  readonly unknownKeys: { account_id: string; issuer: string; isNoted: boolean }[] = [];
  failKeyUse = false;
  losePinning = false;
  failRefusal = false;

  async readKeySignIn(keyHash: string, serviceAccountId: string) {
    this.requests.push('readKeySignIn');
    return { key: this.keys.get(keyHash), ...this.status(serviceAccountId) };
  }

  async readServiceAccount(serviceAccountId: string) {
    this.requests.push('readServiceAccount');
    return this.status(serviceAccountId);
  }

  async readWorkloadSignIn(
    serviceAccountId: string,
    issuer: string,
    keys: readonly MatchKeys[],
    isRegistered: boolean,
  ) {
    this.requests.push('readWorkloadSignIn');
    const found = (parts: MatchKey) => {
      const matchKey = matchKeyOf(issuer, parts);
      const alternatives = this.workflows.filter(
        (each) => each.service_account_id === serviceAccountId && each.match_keys.includes(matchKey),
      );
      return { matchKey, match: alternatives.length === 0 ? undefined : { revision: 1, alternatives } };
    };
    const matches = keys.map(({ name, ids }) => ({ name: found(name), ids: ids && found(ids) }));
    const owner = serviceAccountId.split('--')[0] ?? '';
    const registered = isRegistered ? this.registeredIssuers.get(`${owner} ${issuer}`) : undefined;
    return { matches, registered, ...this.status(serviceAccountId) };
  }

  async noteUnknownKey(named: { account_id: string; issuer: string }, _now: number, isNoted: boolean) {
    this.requests.push('noteUnknownKey');
    this.unknownKeys.push({ ...named, isNoted });
  }

  async readUserSignIn(accountId: string): Promise<UserAccount | undefined> {
    this.requests.push('readUserSignIn');
    const service = this.serviceAccounts.get(accountId);
    if (service === undefined) return this.users.get(accountId);
    return { ...service, account_id: accountId, account_type: 'service', identity_id: '', profile: {}, flags: [] };
  }

  async recordSignIn(signIn: AcceptedSignIn) {
    this.requests.push('recordSignIn');
    if (this.failSignIn) throw new Error('the table is busy');
    this.signIns.push(signIn);
  }

  async recordKeyUse(key: ServiceAccountKeyRecord, now: number) {
    this.requests.push('recordKeyUse');
    if (this.failKeyUse) throw new Error('the table is busy');
    this.keys.set(key.key_hash, { ...key, last_used_at: toTimestamp(now) });
  }

  async pinWorkflow(workflow: TrustedWorkflowRecord, pinned: PinnedIds, { name, ids }: FoundMatches) {
    this.requests.push('pinWorkflow');
    if (this.losePinning) return false;
    const index = this.workflows.findIndex(({ workflow_id }) => workflow_id === workflow.workflow_id);
    this.workflows[index] = { ...workflow, pinned, match_keys: [name.matchKey, ids?.matchKey ?? ''] };
    return true;
  }

  async recordRefusedSignIn(refused: RefusedSignIn) {
    this.requests.push('recordRefusedSignIn');
    if (this.failRefusal) throw new Error('the table is busy');
    this.refusedSignIns.push(refused);
  }

  private status(serviceAccountId: string) {
    this.accountsRead.push(serviceAccountId);
    const serviceAccount = this.serviceAccounts.get(serviceAccountId);
    const owner =
      serviceAccount === undefined
        ? undefined
        : {
            account_id: serviceAccount.owner_account_id,
            account_type: 'organization' as const,
            disabled: this.disabledOwners.has(serviceAccount.owner_account_id),
          };
    return { serviceAccount, owner };
  }
}
