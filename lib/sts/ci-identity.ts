import { foldAscii } from '../domain/ci/fold-ascii.ts';
import { ciProvider } from '../domain/ci/providers.ts';
import type { ExchangeStore } from '../domain/service-accounts/exchange-store.ts';
import type { RefusedSignIn } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { TrustedWorkflowRecord } from '../domain/service-accounts/trusted-workflows.ts';
import { toTimestamp } from '../domain/time.ts';
import type { VerifiedIdentity } from './token-verifier.ts';

/**
 * The trusted workflow, and its service account, through which a verified identity signs in to the service account that
 * the role names. Undefined whatever the reason: not trusted, disabled, deleted, no such service account, a repository
 * whose name somebody else has taken over, a subject that its own token contradicts, or a merge request pipeline.
 */
export async function findSignInWorkflow(
  identity: VerifiedIdentity,
  serviceAccountId: string,
  store: ExchangeStore,
  now: number,
): Promise<{ workflow: TrustedWorkflowRecord; serviceAccount: ServiceAccountRecord } | undefined> {
  const key = ciProvider(identity.issuer).subjectKey(identity.subject);
  const { workflow, serviceAccount, owner } = await store.readWorkflowSignIn(
    serviceAccountId,
    identity.issuer.issuer,
    key,
  );
  const isEnabled = serviceAccount?.disabled === false && owner?.disabled === false;
  if (workflow === undefined || !isEnabled || workflow.service_account_uid !== serviceAccount.uid) return undefined;
  // After the read, although the token alone decides: every refusal costs the same reads.
  if (!identity.isConsistent || identity.isMergeRequest || !isTrustedEnvironment(workflow, identity)) return undefined;
  return (await hasPinnedIds(workflow, identity, store, now)) ? { workflow, serviceAccount } : undefined;
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
  now: number,
): Promise<boolean> {
  const { pinned } = workflow;
  if (pinned !== null)
    return repository_id === pinned.repository_id && repository_owner_id === pinned.repository_owner_id;
  // An issuer without such ids, or a subject that carries them: nothing to pin.
  if (repository_id === undefined || repository_owner_id === undefined || workflow.repository.includes('@'))
    return true;
  return store.pinWorkflow(workflow, { repository_id, repository_owner_id, pinned_at: toTimestamp(now) });
}

/** What is stored of a refusal. Claims are cut: none that is longer is an id or a name that the CI system gives. */
export function refusedSignInOf(
  identity: VerifiedIdentity,
  serviceAccountId: string,
  { now, requestId }: { now: number; requestId: string },
): RefusedSignIn {
  const bounded = (claim: string | undefined) => claim?.slice(0, 255) ?? null;
  return {
    service_account_id: serviceAccountId,
    time: toTimestamp(now),
    request_id: requestId,
    issuer: identity.issuer.issuer,
    subject: identity.subject,
    is_consistent: identity.isConsistent,
    is_merge_request: identity.isMergeRequest,
    repository_id: bounded(identity.repository_id),
    repository_owner_id: bounded(identity.repository_owner_id),
    environment: bounded(identity.environment),
  };
}
