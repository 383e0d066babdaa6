import { trustedWorkload } from '../../lib/domain/ci/subjects.ts';
import { invalidInput } from '../../lib/domain/errors.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { trustWorkflow } from '../../lib/operations/service-accounts.ts';
import { matchKeyOf } from '../../lib/store/keys.ts';

export const handler = apiFunction(trustWorkflow, async ({ target, body, services, now, event }) => {
  const { account, serviceAccount } = target;
  const issuer =
    services.ciIssuers.find((known) => body.issuer === undefined || known.issuer === body.issuer) ??
    (body.issuer && (await services.store.registeredIssuers.find(account.account_id, body.issuer)));
  if (!issuer) {
    const known = services.ciIssuers.map((configured) => configured.issuer).join(', ');
    throw invalidInput([
      {
        path: 'issuer',
        message: `is neither registered by this account nor configured in this deployment, which has ${known || 'none'}; register it first`,
      },
    ]);
  }
  const trusted = trustedWorkload(issuer, body);
  if (!trusted.ok) throw invalidInput([trusted.fault]);
  const created_at = toTimestamp(now);
  const { issuer: _, repository_id: _id, repository_owner_id: _ownerId, ...named } = body;
  const workflow = {
    ...named,
    workflow_id: services.random.uuid(),
    issuer: issuer.issuer,
    kind: issuer.kind,
    subject: trusted.subject,
    created_at,
    service_account_id: serviceAccount.service_account_id,
    service_account_uid: serviceAccount.uid,
    match_keys: [matchKeyOf(issuer.issuer, trusted.key)],
    pinned: trusted.ids === undefined ? null : { ...trusted.ids, pinned_at: created_at },
    last_used_at: null,
    last_used_as: null,
  };
  await services.store.trustedWorkflows.create(
    serviceAccount,
    workflow,
    event('workflow.trusted', account.account_id, {
      service_account_id: serviceAccount.service_account_id,
      workflow_id: workflow.workflow_id,
    }),
  );
  return workflow;
});
