import type { AuditEvent } from '../domain/changes/audit.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { type TrustedWorkflowRecord, trustedWorkflowRecord } from '../domain/service-accounts/trusted-workflows.ts';
import { auditWrite } from './audit.ts';
import { encode } from './codec.ts';
import { inList, type Key, keys, lists } from './keys.ts';
import { workflowPointerRecord } from './records.ts';
import { countedChild, uncountedChild } from './service-accounts.ts';
import { TableStore } from './table.ts';
import { put, remove } from './writes.ts';

export class TrustedWorkflowStore extends TableStore {
  async create(
    serviceAccount: ServiceAccountRecord,
    workflow: TrustedWorkflowRecord,
    event: AuditEvent,
  ): Promise<void> {
    const { workflow_id, created_at, service_account_uid } = workflow;
    await this.table.transact([
      put(
        encode('trusted_workflow', workflow, {
          key: workflowKey(workflow),
          list: inList(lists.workflows(service_account_uid), created_at, workflow_id),
        }),
        // An entry of a deleted service account with the same name is not trusted and can be replaced.
        { absentOrNot: { service_account_uid } },
        new ServiceError('already_trusted', 'This workflow is trusted already'),
      ),
      put(
        encode('trusted_workflow_pointer', workflowKeyParts(workflow), {
          key: keys.workflowPointer(service_account_uid, workflow_id),
        }),
      ),
      countedChild(serviceAccount, 'workflow_count', limits.trustedWorkflowsMax, 'trusted workflows; remove one first'),
      auditWrite(event),
    ]);
  }

  /** Lists trusted workflows, oldest first. */
  async list(uid: string, page: ListPageRequest): Promise<ListPage<TrustedWorkflowRecord>> {
    return this.table.list(trustedWorkflowRecord, 'lists', lists.workflows(uid), page);
  }

  /** Throws `not_found` for a workflow that this service account does not trust. */
  async remove(serviceAccount: ServiceAccountRecord, workflowId: string, event: AuditEvent): Promise<void> {
    const pointer = keys.workflowPointer(serviceAccount.uid, workflowId);
    const found = await this.table.find(workflowPointerRecord, pointer);
    const refusal = new ServiceError(
      'not_found',
      'No such trusted workflow; list the workflows that the service account trusts',
    );
    if (found === undefined) throw refusal;
    await this.table.transact([
      remove(pointer, { exists: true }, refusal),
      remove(workflowKey(found), { equals: { workflow_id: workflowId } }, refusal),
      uncountedChild(serviceAccount, 'workflow_count'),
      auditWrite(event),
    ]);
  }
}

function workflowKeyParts(workflow: TrustedWorkflowRecord) {
  const { workflow_id, service_account_id, issuer, subject_key } = workflow;
  return { workflow_id, service_account_id, issuer, subject_key };
}

export function workflowKey(
  workflow: Pick<TrustedWorkflowRecord, 'service_account_id' | 'issuer' | 'subject_key'>,
): Key {
  return keys.workflow(workflow.service_account_id, workflow.issuer, workflow.subject_key);
}
