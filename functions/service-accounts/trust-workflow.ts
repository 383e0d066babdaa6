import { trustedSubject } from '../../lib/domain/ci/subjects.ts';
import { invalidInput } from '../../lib/domain/errors.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { trustWorkflow } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(trustWorkflow, async ({ target, body, services, now, event }) => {
  const { account, serviceAccount } = target;
  const issuer = services.ciIssuers.find((known) => body.issuer === undefined || known.issuer === body.issuer);
  if (issuer === undefined) {
    const known = services.ciIssuers.map((configured) => configured.issuer).join(', ');
    throw invalidInput([
      { path: 'issuer', message: `is not a CI system of this deployment; it knows ${known || 'none'}` },
    ]);
  }
  const { issuer: _, ...named } = body;
  const trusted = trustedSubject(issuer, named);
  if (!trusted.ok) throw invalidInput([trusted.fault]);
  const workflow = {
    ...named,
    workflow_id: services.random.uuid(),
    issuer: issuer.issuer,
    subject: trusted.subject,
    subject_key: trusted.subject_key,
    created_at: toTimestamp(now),
    service_account_id: serviceAccount.service_account_id,
    service_account_uid: serviceAccount.uid,
    pinned: null,
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
