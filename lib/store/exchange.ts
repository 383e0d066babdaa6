import { accountRecord } from '../domain/accounts/accounts.ts';
import { type SignInRecord, signInEntity, signInName } from '../domain/changes/sign-ins.ts';
import type { MatchKeys } from '../domain/ci/matching.ts';
import { registeredIssuerRecord } from '../domain/ci/registered-issuers.ts';
import { conflict } from '../domain/errors.ts';
import { parseServiceAccountId } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import type {
  AcceptedSignIn,
  ExchangeStore,
  FoundMatches,
  ServiceAccountStatus,
} from '../domain/service-accounts/exchange-store.ts';
import { type RefusedSignIn, refusalCause, refusedSignInEntity } from '../domain/service-accounts/refused-sign-ins.ts';
import {
  type ServiceAccountKeyRecord,
  serviceAccountKeyRecord,
  serviceAccountRecord,
} from '../domain/service-accounts/service-accounts.ts';
import {
  type PinnedIds,
  type TrustedWorkflowRecord,
  workflowMatchRecord,
} from '../domain/service-accounts/trusted-workflows.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../domain/time.ts';
import { accountStatusOf, timesDisabled, withOwnersCount } from './accounts/account-status.ts';
import { recordKeyUse, withLastUse } from './api-keys/key-uses.ts';
import { decode, encode } from './codec.ts';
import { type Item, keys, matchKeyOf } from './keys.ts';
import { noteUnknownKey } from './registered-issuers.ts';
import { TableStore } from './table.ts';
import { liveAlternatives, withAlternative } from './trusted-workflows.ts';
import { countInWindow, put, update, type Write, windowOf } from './writes.ts';

export class TableExchangeStore extends TableStore implements ExchangeStore {
  /** The current minute, and the names of the sign-ins that this instance has recorded in it. */
  readonly #recorded = { minute: '', names: new Set<string>() };

  async readKeySignIn(keyHash: string, serviceAccountId: string) {
    const read = await this.table.getNamed({
      key: keys.serviceKey(keyHash),
      use: keys.serviceKeyUse(keyHash),
      ...accountKeys(serviceAccountId),
    });
    const key = decode(serviceAccountKeyRecord, read.key);
    return { key: key && withLastUse(key, read.use), ...accountStatuses(read) };
  }

  async readServiceAccount(serviceAccountId: string) {
    return accountStatuses(await this.table.getNamed(accountKeys(serviceAccountId)));
  }

  async readWorkloadSignIn(
    serviceAccountId: string,
    issuer: string,
    wanted: readonly MatchKeys[],
    isRegistered: boolean,
  ) {
    const matchKeys = wanted.map(({ name, ids }) => ({
      name: matchKeyOf(issuer, name),
      ids: ids && matchKeyOf(issuer, ids),
    }));
    const read = await this.table.getNamed<string>({
      ...Object.fromEntries(
        matchKeys
          .flatMap(({ name, ids }) => (ids === undefined ? [name] : [name, ids]))
          .map((matchKey) => [matchKey, keys.workflowMatch(serviceAccountId, matchKey)]),
      ),
      registered: isRegistered ? keys.registeredIssuer(ownerIdOf(serviceAccountId), issuer) : undefined,
      ...accountKeys(serviceAccountId),
    });
    const found = (matchKey: string) => ({ matchKey, match: decode(workflowMatchRecord, read[matchKey]) });
    const matches = matchKeys.map(
      ({ name, ids }): FoundMatches => ({ name: found(name), ids: ids === undefined ? undefined : found(ids) }),
    );
    return { matches, registered: decode(registeredIssuerRecord, read['registered']), ...accountStatuses(read) };
  }

  async noteUnknownKey(named: { account_id: string; issuer: string }, now: number, isNoted: boolean): Promise<void> {
    await noteUnknownKey(this.table, named, now, isNoted);
  }

  async readUserSignIn(accountId: string) {
    const item = await this.table.get(keys.account(accountId));
    const account = decode(accountRecord, item);
    return account && { ...account, times_disabled: timesDisabled(item) };
  }

  /**
   * Writes one record for each sign-in name and minute. The instance remembers its records of the current minute and
   * does not write them again.
   */
  async recordSignIn({ now, use, ...signIn }: AcceptedSignIn): Promise<void> {
    const time = toTimestamp(now - (now % 60_000));
    if (this.#recorded.minute !== time) {
      this.#recorded.minute = time;
      this.#recorded.names.clear();
    }
    const name = `${signIn.account_id} ${signInName(signIn)}`;
    if (this.#recorded.names.has(name)) return;
    const itemKeys = {
      key: keys.signIn(signIn.account_id, time, signInName(signIn)),
      deleteAfter: now + limits.signInRecordRetentionDays * dayMs,
    };
    const record: SignInRecord = { ...signIn, time };
    await Promise.all([
      this.table.put(encode(signInEntity, record, itemKeys), limits.signInWriteMs, { exists: false }),
      use && this.#recordWorkflowUse(use, time),
    ]);
    const { minute, names } = this.#recorded;
    if (minute === time && names.size < limits.signInRecordsRememberedMax) names.add(name);
  }

  /** Records the last use of a trusted workflow, unless its owner has removed the workflow. */
  async #recordWorkflowUse({ workflow, repository }: NonNullable<AcceptedSignIn['use']>, time: string): Promise<void> {
    await this.table.update(
      keys.workflow(workflow.service_account_uid, workflow.workflow_id),
      { set: { last_used_at: time, last_used_as: repository } },
      { exists: true },
      limits.signInWriteMs,
    );
  }

  async recordKeyUse(key: ServiceAccountKeyRecord, now: number): Promise<void> {
    await recordKeyUse(this.table, key, now);
  }

  async pinWorkflow(workflow: TrustedWorkflowRecord, pinned: PinnedIds, { name, ids }: FoundMatches) {
    if (ids === undefined) return false;
    const { service_account_uid, workflow_id } = workflow;
    // Store no numeric IDs in the workflow if the service account already trusts this repository by its IDs with the
    // maximum number of conditions.
    if (liveAlternatives(ids.match, service_account_uid).length >= limits.workflowAlternativesMax) return false;
    const match_keys = [name.matchKey, ids.matchKey];
    const withIds = { ...workflow, pinned, match_keys };
    return this.table.transactIfHolding([
      update(
        keys.workflow(service_account_uid, workflow_id),
        { set: { pinned, match_keys } },
        { exists: true, equals: { pinned: null } },
      ),
      withAlternative(withIds, name.matchKey, name.match),
      withAlternative(withIds, ids.matchKey, ids.match),
    ]);
  }

  /**
   * Records a refused sign-in in three items of its own. A write to the account's item would let anyone with a CI token
   * disturb the transactions of the account's managers.
   *
   * An item for each cause limits equal refusals to one write per minute, even if other refusals come in between. A
   * counter limits the writes that tokens of one repository owner can cause, even with a new role ARN in each request.
   */
  async recordRefusedSignIn(refused: RefusedSignIn): Promise<void> {
    const { service_account_id, time, issuer, repository_owner_id } = refused;
    const at = parseTimestamp(time);
    const cause = keys.refusedSignInCause(service_account_id, refusalCause(refused));
    const intervalMs = limits.refusedSignInRecordedEverySeconds * 1000;
    const tally = countInWindow({
      key: keys.refusedSignInsFrom(issuer, repository_owner_id, windowOf(time, 'minute')),
      entity: 'refused_sign_in_source_tally',
      counter: 'refused',
      max: limits.refusedSignInsPerSourcePerMinuteMax,
      window: 'minute',
      time,
      sentence: () => 'The limit of recorded refusals for this minute is reached',
    });
    const writes: Write[] = [
      put(
        encode('refused_sign_in_cause', { time }, { key: cause, deleteAfter: at + intervalMs }),
        { absentOrLessThan: { time: toTimestamp(at - intervalMs) } },
        recordedAlready,
      ),
      put(
        encode(refusedSignInEntity, refused, {
          key: keys.refusedSignIn(service_account_id),
          deleteAfter: at + limits.refusedSignInRetentionDays * dayMs,
        }),
      ),
      tally,
    ];
    try {
      await this.table.transact(writes, { timeoutMs: limits.signInWriteMs });
    } catch (error) {
      if (error !== recordedAlready && error !== tally.refusal) throw error;
    }
  }
}

const recordedAlready = conflict('This was recorded less than a minute ago');

/**
 * Returns the keys of the items of a service account and its owner. Every role ARN causes the same number of reads, so
 * that the duration does not reveal which accounts exist.
 */
function accountKeys(serviceAccountId: string) {
  return { serviceAccount: keys.account(serviceAccountId), owner: keys.account(ownerIdOf(serviceAccountId)) };
}

/**
 * Returns the ID of the account that owns the service account. For text in another form, returns an ID that begins with
 * a hyphen, because no account has such an ID.
 */
function ownerIdOf(serviceAccountId: string): string {
  return parseServiceAccountId(serviceAccountId)?.owner_account_id ?? `--${serviceAccountId}`;
}

function accountStatuses(read: { serviceAccount?: Item; owner?: Item }): ServiceAccountStatus {
  // A role ARN can name a user account. Its item has no `uid`, and is ignored here.
  const isServiceAccount = read.serviceAccount?.['uid'] !== undefined;
  const serviceAccount = isServiceAccount ? decode(serviceAccountRecord, read.serviceAccount) : undefined;
  return {
    serviceAccount: serviceAccount && withOwnersCount(serviceAccount, read.owner),
    owner: accountStatusOf(read.owner),
  };
}
