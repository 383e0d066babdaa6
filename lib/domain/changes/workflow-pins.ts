import { createHash } from 'node:crypto';
import * as z from 'zod';
import { parseServiceAccountId } from '../identifiers.ts';
import { pinnedIdsSchema } from '../service-accounts/trusted-workflows.ts';
import type { AuditEvent } from './audit.ts';

const pinnedWorkflowSchema = z.object({
  entity: z.literal('trusted_workflow'),
  workflow_id: z.string(),
  service_account_id: z.string(),
  pinned: pinnedIdsSchema,
});
type PinnedWorkflow = z.infer<typeof pinnedWorkflowSchema>;

/** Returns the workflow that a change pinned to numeric IDs for the first time, or to different IDs. */
export function pinnedWorkflowIn(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): PinnedWorkflow | undefined {
  const is = pinnedWorkflowSchema.safeParse(after).data;
  const was = pinnedWorkflowSchema.safeParse(before).data;
  return is === undefined || (was !== undefined && pinName(was) === pinName(is)) ? undefined : is;
}

/** Creates the audit event of a pin. A replay of the stream creates the same event. */
export function pinEvent(workflow: PinnedWorkflow): AuditEvent | undefined {
  const { workflow_id, service_account_id, pinned } = workflow;
  const account_id = parseServiceAccountId(service_account_id)?.owner_account_id;
  if (account_id === undefined) return undefined;
  return {
    event_id: `pinned-${pinName(workflow)}`,
    time: pinned.pinned_at,
    kind: 'workflow.pinned',
    account_id,
    actor: { account_id: null },
    subject: {
      service_account_id,
      workflow_id,
      pinned_repository_id: pinned.repository_id,
      pinned_repository_owner_id: pinned.repository_owner_id,
    },
    request_id: '',
  };
}

/** Returns a name that differs for each workflow and each pair of IDs. Two pins therefore never share an event. */
function pinName({ workflow_id, pinned }: PinnedWorkflow): string {
  const text = JSON.stringify([workflow_id, pinned.repository_id, pinned.repository_owner_id]);
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 24);
}
