import { parseServiceAccountId } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import type { ExchangeStore, ServiceAccountFacts } from '../domain/service-accounts/exchange-store.ts';
import { type RefusedSignIn, refusedSignInEntity } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccountKeyRecord } from '../domain/service-accounts/service-accounts.ts';
import type { TrustedWorkflowRecord } from '../domain/service-accounts/trusted-workflows.ts';
import { parseTimestamp, toTimestamp } from '../domain/time.ts';
import { accountFactsOf, withOwnersCount } from './account-facts.ts';
import { decode, encode } from './codec.ts';
import { keys } from './keys.ts';
import { serviceAccountKeyRecord, serviceAccountRecord, trustedWorkflowRecord } from './records.ts';
import { readNamed } from './request-facts.ts';
import type { Item, Table } from './table.ts';
import { workflowKey } from './trusted-workflows.ts';

export class TableExchangeStore implements ExchangeStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async readKeySignIn(keyHash: string, serviceAccountId: string) {
    const read = await readNamed(this.#table, { key: keys.serviceKey(keyHash), ...accountKeys(serviceAccountId) });
    return { key: decode(serviceAccountKeyRecord, read.key), ...accountFacts(read) };
  }

  async readServiceAccount(serviceAccountId: string) {
    return accountFacts(await readNamed(this.#table, accountKeys(serviceAccountId)));
  }

  async readWorkflowSignIn(serviceAccountId: string, issuer: string, subjectKey: string) {
    const read = await readNamed(this.#table, {
      workflow: keys.workflow(serviceAccountId, issuer, subjectKey),
      ...accountKeys(serviceAccountId),
    });
    return { workflow: decode(trustedWorkflowRecord, read.workflow), ...accountFacts(read) };
  }

  async recordKeyUse(key: ServiceAccountKeyRecord, now: number): Promise<void> {
    const minuteAgo = toTimestamp(now - limits.keyUseRecordedEverySeconds * 1000);
    if (key.last_used_at !== null && key.last_used_at > minuteAgo) return;
    await this.#table.update(
      keys.serviceKey(key.key_hash),
      { set: { last_used_at: toTimestamp(now) } },
      { exists: true, absentOrLessThan: { last_used_at: minuteAgo } },
    );
  }

  async pinWorkflow(workflow: TrustedWorkflowRecord, ids: { repository_id: string; repository_owner_id: string }) {
    const pinned = await this.#table.update(
      workflowKey(workflow),
      { set: { pinned_repository_id: ids.repository_id, pinned_repository_owner_id: ids.repository_owner_id } },
      {
        equals: { workflow_id: workflow.workflow_id },
        absentOrNull: ['pinned_repository_id', 'pinned_repository_owner_id'],
      },
    );
    if (pinned !== undefined) return true;
    const item = decode(trustedWorkflowRecord, await this.#table.get(workflowKey(workflow)));
    return (
      item?.workflow_id === workflow.workflow_id &&
      item.pinned_repository_id === ids.repository_id &&
      item.pinned_repository_owner_id === ids.repository_owner_id
    );
  }

  /**
   * In an item of its own, not in the account's: whoever has a CI token could otherwise wear down the account's item and
   * get in the way of the transactions of those who manage it.
   */
  async recordRefusedSignIn(refused: RefusedSignIn): Promise<void> {
    const key = keys.refusedSignIn(refused.service_account_id);
    const deleteAfter = parseTimestamp(refused.time) + limits.refusedSignInRetentionDays * 86_400_000;
    await this.#table.put(encode(refusedSignInEntity, refused, { key, deleteAfter }), limits.refusedSignInWriteMs);
  }
}

/**
 * A role may name anything: what is no service account's ID still asks for as many items, so that the answer's time and
 * the requests behind it tell nothing.
 */
function accountKeys(serviceAccountId: string) {
  const owner = parseServiceAccountId(serviceAccountId)?.owner_account_id;
  // No account begins with a hyphen.
  return { serviceAccount: keys.account(serviceAccountId), owner: keys.account(owner ?? `--${serviceAccountId}`) };
}

function accountFacts(read: { serviceAccount?: Item; owner?: Item }): ServiceAccountFacts {
  // A role that names a person's account finds an item, but not a service account's.
  const isServiceAccount = read.serviceAccount?.['uid'] !== undefined;
  const serviceAccount = isServiceAccount ? decode(serviceAccountRecord, read.serviceAccount) : undefined;
  return {
    serviceAccount: serviceAccount && withOwnersCount(serviceAccount, read.owner),
    owner: accountFactsOf(read.owner),
  };
}
