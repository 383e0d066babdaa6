import type { AuditEvent } from '../domain/changes/audit.ts';
import { pinNames } from '../domain/ci/provider.ts';
import { conflict, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import {
  type TrustedWorkflowRecord,
  trustedWorkflowRecord,
  type WorkflowMatch,
  workflowMatchRecord,
} from '../domain/service-accounts/trusted-workflows.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { inList, keys, lists, sublists } from './keys.ts';
import { countedChild, uncountedChild } from './service-accounts.ts';
import { forEachItem, retryOn, TableStore } from './table.ts';
import { put, remove, type Update, type Write } from './writes.ts';

/**
 * The error of a write that conflicts with another change of trusted workflows of the same repository. The management
 * pipeline then runs the operation again.
 */
const overtaken = conflict('The trusted workflows of this repository changed at the same time; send it again');

const removalTriesMax = 8;

export class TrustedWorkflowStore extends TableStore {
  /**
   * Stores a trusted workflow. Throws `already_trusted` if it exists with the same conditions. Throws `limit_reached`
   * if the service account has too many workflows, or too many with this repository and origin.
   */
  async create(
    serviceAccount: ServiceAccountRecord,
    workflow: TrustedWorkflowRecord,
    event: AuditEvent,
  ): Promise<void> {
    const { workflow_id, created_at, issuer, service_account_uid } = workflow;
    const { owner_account_id } = serviceAccount;
    const matches = await this.#readMatches(workflow);
    for (const { match } of matches) {
      const alternatives = liveAlternatives(match, service_account_uid);
      if (alternatives.some((other) => conditionsOf(other) === conditionsOf(workflow)))
        throw new ServiceError('already_trusted', 'This workflow is trusted already');
      if (alternatives.length >= limits.workflowAlternativesMax)
        throw new ServiceError(
          'limit_reached',
          `At most ${limits.workflowAlternativesMax} workflows of one repository and origin can be trusted; remove one first`,
        );
    }
    await this.table.transact([
      put(
        encode('trusted_workflow', workflow, {
          key: keys.workflow(service_account_uid, workflow_id),
          list: inList(lists.workflows(service_account_uid), created_at, workflow_id),
          sublist: inList(sublists.trustsOfIssuer(owner_account_id, issuer), created_at, workflow_id),
        }),
      ),
      ...matches.map(({ matchKey, match }) => withAlternative(workflow, matchKey, match)),
      countedChild(serviceAccount, 'workflow_count', limits.trustedWorkflowsMax, 'trusted workflows; remove one first'),
      auditWrite(event),
    ]);
  }

  /** Lists trusted workflows, oldest first. */
  async list(uid: string, page: ListPageRequest): Promise<ListPage<TrustedWorkflowRecord>> {
    return this.table.list(trustedWorkflowRecord, 'lists', lists.workflows(uid), page);
  }

  /** Removes a trusted workflow. Throws `not_found` if the service account does not trust it. */
  async remove(
    serviceAccount: ServiceAccountRecord,
    workflowId: string,
    event: AuditEvent,
    ending?: Update,
  ): Promise<void> {
    const key = keys.workflow(serviceAccount.uid, workflowId);
    const found = await this.table.find(trustedWorkflowRecord, key);
    if (found === undefined)
      throw new ServiceError(
        'not_found',
        'No such trusted workflow; list the workflows that the service account trusts',
      );
    await this.table.transact([
      remove(key, { equals: { match_keys: found.match_keys } }, overtaken),
      ...(await this.#withoutWorkflow(found)),
      uncountedChild(serviceAccount, 'workflow_count', ending),
      auditWrite(event),
    ]);
  }

  /** Removes the trusted workflows of a deleted service account. If a call is interrupted, the next call continues. */
  async removeRemains(uid: string): Promise<void> {
    const { pk } = keys.workflow(uid, '');
    await forEachItem(this.table.partitionPages(pk, { from: ' ', to: '~' }), async (item) => {
      const workflow = decode(trustedWorkflowRecord, item);
      // Several workflows can share one match item. Each step therefore reads the item again until its write succeeds.
      const key = keys.workflow(uid, workflow.workflow_id);
      const step = async () => this.table.transact([remove(key), ...(await this.#withoutWorkflow(workflow))]);
      await retryOn(overtaken, removalTriesMax, step, this.table.pause);
    });
  }

  async #readMatches({ service_account_id, match_keys }: TrustedWorkflowRecord) {
    const items = await this.table.getMany(
      match_keys.map((matchKey) => keys.workflowMatch(service_account_id, matchKey)),
    );
    return match_keys.map((matchKey, index) => ({ matchKey, match: decode(workflowMatchRecord, items[index]) }));
  }

  /**
   * Returns the writes that remove the workflow from its match items. Workflows of a new service account with the same
   * name stay in the items.
   */
  async #withoutWorkflow(workflow: TrustedWorkflowRecord): Promise<Write[]> {
    const matches = await this.#readMatches(workflow);
    return matches.flatMap(({ matchKey, match }) => {
      if (match?.alternatives.some(({ workflow_id }) => workflow_id === workflow.workflow_id) !== true) return [];
      const rest = match.alternatives.filter(({ workflow_id }) => workflow_id !== workflow.workflow_id);
      const unchanged = { equals: { revision: match.revision } };
      return rest.length === 0
        ? [remove(keys.workflowMatch(workflow.service_account_id, matchKey), unchanged, overtaken)]
        : [putMatch(workflow.service_account_id, matchKey, match, rest, overtaken)];
    });
  }
}

/** Returns the write that adds the workflow to a match item, or replaces the workflow in it. */
export function withAlternative(
  workflow: TrustedWorkflowRecord,
  matchKey: string,
  match: WorkflowMatch | undefined,
  refusal = overtaken,
): Write {
  const others = liveAlternatives(match, workflow.service_account_uid).filter(
    ({ workflow_id }) => workflow_id !== workflow.workflow_id,
  );
  return putMatch(workflow.service_account_id, matchKey, match, [...others, workflow], refusal);
}

/**
 * Returns the workflows in a match item that belong to this service account. Ignores workflows of a deleted service
 * account with the same name.
 */
export function liveAlternatives(match: WorkflowMatch | undefined, uid: string): TrustedWorkflowRecord[] {
  return match?.alternatives.filter(({ service_account_uid }) => service_account_uid === uid) ?? [];
}

function putMatch(
  serviceAccountId: string,
  matchKey: string,
  match: WorkflowMatch | undefined,
  alternatives: readonly TrustedWorkflowRecord[],
  refusal: ServiceError,
): Write {
  return put(
    encode(
      'trusted_workflow_match',
      { revision: (match?.revision ?? 0) + 1, alternatives },
      { key: keys.workflowMatch(serviceAccountId, matchKey) },
    ),
    match === undefined ? { exists: false } : { equals: { revision: match.revision } },
    refusal,
  );
}

/**
 * Returns the optional conditions of a workflow as text. The workflows in one match item have different conditions.
 */
function conditionsOf(workflow: TrustedWorkflowRecord): string {
  const claims = Object.entries(workflow.claims ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([claims, ...pinNames.map((name) => workflow[name])]);
}
