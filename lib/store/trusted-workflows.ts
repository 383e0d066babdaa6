import type { AuditEvent } from '../domain/audit.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts.ts';
import type { TrustedWorkflowRecord } from '../domain/trusted-workflows.ts';
import { auditWrite } from './audit.ts';
import { encode } from './codec.ts';
import { type Key, keys, listPosition, lists } from './keys.ts';
import { countedChild } from './service-accounts.ts';
import type { Table } from './table.ts';

export class TrustedWorkflowStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async create(
    serviceAccount: ServiceAccountRecord,
    workflow: TrustedWorkflowRecord,
    event: AuditEvent,
  ): Promise<void> {
    const { workflow_id, created_at, service_account_uid } = workflow;
    await this.#table.transact([
      {
        kind: 'put',
        item: encode('trusted_workflow', workflow, {
          key: workflowKey(workflow),
          list: { partition: lists.workflows(service_account_uid), position: listPosition(created_at, workflow_id) },
        }),
        condition: { exists: false },
        refusal: new ServiceError('conflict', 'This workflow is trusted already'),
      },
      {
        kind: 'put',
        item: encode('trusted_workflow_pointer', workflowKeyParts(workflow), {
          key: keys.workflowPointer(service_account_uid, workflow_id),
        }),
      },
      countedChild(serviceAccount, 'workflow_count', limits.trustedWorkflowsMax, 'trusted workflows; remove one first'),
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
