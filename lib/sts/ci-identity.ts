import { foldAscii } from '../domain/ci/provider.ts';
import { ciProvider } from '../domain/ci/providers.ts';
import type { ExchangeStore } from '../domain/service-accounts/exchange-store.ts';
import type { RefusedSignIn } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { TrustedWorkflowRecord } from '../domain/service-accounts/trusted-workflows.ts';
import { toTimestamp } from '../domain/time.ts';
import type { VerifiedIdentity } from './token-verifier.ts';

/**
 * Returns the trusted workflow that lets a verified identity sign in, with its service account. Returns undefined for
 * every other case: the identity is not trusted, the service account is missing, disabled, or deleted, another owner
 * took over the repository's name, the subject contradicts other claims, or a merge request started the pipeline.
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
  // These checks need only the token, but run after the read, so that every refusal costs the same reads.
  if (!identity.isConsistent || identity.isMergeRequest || !isTrustedEnvironment(workflow, identity)) return undefined;
  return (await hasPinnedIds(workflow, identity, store, now)) ? { workflow, serviceAccount } : undefined;
}

/**
 * Compares the environment's name with the claim. GitHub escapes a colon in the name but not a literal "%3A", so two
 * environments can share a subject. Anyone with push access could create such an unprotected environment.
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
  // The issuer has no such IDs, or the subject contains them already.
  if (repository_id === undefined || repository_owner_id === undefined || workflow.repository.includes('@'))
    return true;
  return store.pinWorkflow(workflow, { repository_id, repository_owner_id, pinned_at: toTimestamp(now) });
}

/** Returns the stored record of a refusal. Longer claims are cut, because valid IDs and names are shorter. */
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
