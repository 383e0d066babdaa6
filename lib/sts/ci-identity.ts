import { foldAscii, subjectKey } from '../domain/ci-subjects.ts';
import { ServiceError } from '../domain/errors.ts';
import type { ExchangeStore } from '../domain/exchange-store.ts';
import type { TrustedWorkflowRecord } from '../domain/trusted-workflows.ts';
import type { VerifiedIdentity } from './token-verifier.ts';

/**
 * The trusted workflow through which a verified identity signs in to the service account that the role names. Throws
 * the one `access_denied` whatever the reason: not trusted, disabled, deleted, no such service account, or a repository
 * whose name somebody else has taken over.
 */
export async function signInByWorkflow(
  identity: VerifiedIdentity,
  serviceAccountId: string,
  store: ExchangeStore,
): Promise<TrustedWorkflowRecord> {
  const key = subjectKey(identity.issuer, identity.subject);
  const { workflow, serviceAccount, owner } = await store.readWorkflowSignIn(
    serviceAccountId,
    identity.issuer.issuer,
    key,
  );
  const isEnabled = serviceAccount?.disabled === false && owner?.disabled === false;
  if (workflow === undefined || !isEnabled || workflow.service_account_uid !== serviceAccount.uid) throw notTrusted();
  if (!isTrustedEnvironment(workflow, identity) || !(await hasPinnedIds(workflow, identity, store))) throw notTrusted();
  return workflow;
}

/**
 * GitHub escapes a colon in an environment's name and leaves a literal "%3A" alone, so two environments can share a
 * subject, and whoever may push can make up an unprotected one. The claim holds the name itself.
 */
function isTrustedEnvironment({ environment }: TrustedWorkflowRecord, identity: VerifiedIdentity): boolean {
  if (environment === undefined || identity.environment === undefined) return true;
  return foldAscii(environment) === foldAscii(identity.environment);
}

async function hasPinnedIds(
  workflow: TrustedWorkflowRecord,
  { repository_id, repository_owner_id }: VerifiedIdentity,
  store: ExchangeStore,
): Promise<boolean> {
  const { pinned_repository_id, pinned_repository_owner_id } = workflow;
  if (pinned_repository_id !== null || pinned_repository_owner_id !== null)
    return repository_id === pinned_repository_id && repository_owner_id === pinned_repository_owner_id;
  // An issuer without such ids, or a subject that carries them: nothing to pin.
  if (repository_id === undefined || repository_owner_id === undefined || workflow.repository.includes('@'))
    return true;
  return store.pinWorkflow(workflow, { repository_id, repository_owner_id });
}

function notTrusted(): ServiceError {
  return new ServiceError('access_denied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
}
