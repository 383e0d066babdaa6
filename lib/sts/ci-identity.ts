import { compareWithTrust, matchKeysOf } from '../domain/ci/matching.ts';
import type { CiProvider } from '../domain/ci/provider.ts';
import { ciProvider } from '../domain/ci/providers.ts';
import type { Workload } from '../domain/ci/workload.ts';
import { limits } from '../domain/limits.ts';
import type { ExchangeStore, FoundMatches } from '../domain/service-accounts/exchange-store.ts';
import type { RefusedSignIn } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { TrustedWorkflowRecord } from '../domain/service-accounts/trusted-workflows.ts';
import { toTimestamp } from '../domain/time.ts';
import type { VerifiedIdentity } from './token-verifier.ts';

interface SignInWorkflow {
  workflow: TrustedWorkflowRecord;
  serviceAccount: ServiceAccountRecord;
}

/**
 * Returns the trusted workflow that lets a verified identity sign in, with its service account. Returns undefined for
 * every other case: the identity is not trusted, the service account is missing, disabled, or deleted, or another owner
 * took over the repository's name. A first sign-in pins the IDs of the repository.
 */
export async function findSignInWorkflow(
  identity: VerifiedIdentity,
  serviceAccountId: string,
  store: ExchangeStore,
  now: number,
): Promise<SignInWorkflow | undefined> {
  const keys = matchKeysOf(ciProvider(identity.issuer), identity.workload);
  // A second read follows only if another request changed the trusted workflows during the pin.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const read = await store.readWorkflowSignIn(serviceAccountId, identity.issuer.issuer, keys);
    const { matches, serviceAccount, owner } = read;
    if (serviceAccount?.disabled !== false || owner?.disabled !== false) return undefined;
    // The comparison needs only the token, but runs after the read, so that every refusal costs the same reads.
    const candidates = candidatesIn(matches, identity.workload, serviceAccount.uid);
    const workflow = candidates.allow ?? candidates.pin;
    if (workflow === undefined) return undefined;
    if (candidates.allow !== undefined || identity.workload.ids === undefined) return { workflow, serviceAccount };
    const pinned = { ...identity.workload.ids, pinned_at: toTimestamp(now) };
    if (await store.pinWorkflow(workflow, pinned, matches)) return { workflow, serviceAccount };
  }
  return undefined;
}

/** Returns the first workflow of each verdict. Those found by their IDs come first. */
function candidatesIn({ name, ids }: FoundMatches, workload: Workload, uid: string) {
  const alternatives = [...(ids?.match?.alternatives ?? []), ...(name.match?.alternatives ?? [])];
  const live = alternatives.filter(({ service_account_uid }) => service_account_uid === uid);
  const verdicts = live.map((workflow) => ({ workflow, verdict: compareWithTrust(workload, workflow) }));
  const first = (wanted: string) => verdicts.find(({ verdict }) => verdict === wanted)?.workflow;
  return { allow: first('allow'), pin: first('pin') };
}

/** Returns the stored record of a refusal. Longer claims are cut, because valid IDs and names are shorter. */
export function refusedSignInOf(
  { issuer, workload }: VerifiedIdentity,
  serviceAccountId: string,
  { now, requestId }: { now: number; requestId: string },
): RefusedSignIn {
  return {
    service_account_id: serviceAccountId,
    time: toTimestamp(now),
    request_id: requestId,
    issuer: issuer.issuer,
    kind: issuer.kind,
    subject: workload.subject,
    fault: workload.fault,
    repository_id: workload.ids === undefined ? null : shortened(workload.ids.repository_id),
    repository_owner_id: workload.ids === undefined ? null : shortened(workload.ids.repository_owner_id),
    claims: comparedClaims(ciProvider(issuer), workload),
  };
}

/** Claims of every token (RFC 7519). The record has the subject, and the others differ in each token. */
const registeredClaims = new Set(['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti']);

/** Returns the claims that a trusted workflow can require, for an explanation to the owner. */
function comparedClaims(provider: CiProvider, { claims }: Workload): Record<string, string> {
  const names =
    provider.identifiedBy === 'repository'
      ? [provider.claims.environment, ...Object.values(provider.pins).map(({ claim }) => claim)]
      : [...claims.keys()].filter((name) => !registeredClaims.has(name)).sort();
  const present = names.flatMap((name) => {
    const value = claims.get(name);
    return value === undefined ? [] : [[shortened(name), shortened(value)] as const];
  });
  return Object.fromEntries(present.slice(0, limits.refusedClaimsMax));
}

function shortened(text: string): string {
  return text.slice(0, limits.refusedClaimLengthMax);
}
