import { ciProviderKindSchema } from '../domain/ci/issuers.ts';
import { compareWithTrust, matchKeysOf } from '../domain/ci/matching.ts';
import type { CiProvider } from '../domain/ci/provider.ts';
import { ciProvider } from '../domain/ci/providers.ts';
import { currentKeys, nextEarlyFetchAt, type RegisteredIssuerRecord } from '../domain/ci/registered-issuers.ts';
import type { Workload } from '../domain/ci/workload.ts';
import { limits } from '../domain/limits.ts';
import type { ExchangeStore, FoundMatches } from '../domain/service-accounts/exchange-store.ts';
import type { RefusedSignIn } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { TrustedWorkflowRecord } from '../domain/service-accounts/trusted-workflows.ts';
import { toTimestamp } from '../domain/time.ts';
import type { UnverifiedIdentity, VerifiedIdentity } from './token-verifier.ts';

/** The result of a sign-in with a token. Without a workflow, the sign-in is refused. */
export interface WorkloadSignIn {
  /** Undefined if no key of a registered issuer signed the token. */
  verified: VerifiedIdentity | undefined;
  found: { workflow: TrustedWorkflowRecord; serviceAccount: ServiceAccountRecord } | undefined;
  /** The registered issuer of the token, if it is not a configured one. */
  registered: RegisteredIssuerRecord | undefined;
}

/**
 * Finds the trusted workflow that lets an identity sign in. There is none if the identity is not verified or trusted,
 * if the service account is missing, disabled, or deleted, or if another owner took over the repository's name. A first
 * sign-in pins the IDs of the repository.
 */
export async function signInWorkload(
  identity: VerifiedIdentity | UnverifiedIdentity,
  serviceAccountId: string,
  store: ExchangeStore,
  now: number,
): Promise<WorkloadSignIn> {
  const claimed =
    identity.kind === 'workload'
      ? [identity]
      : ciProviderKindSchema.options.map((kind) => identity.claimedAs(kind)).filter((each) => each !== undefined);
  const issuer = identity.kind === 'workload' ? identity.issuer.issuer : identity.issuer;
  const keys = claimed.map((each) => matchKeysOf(ciProvider(each.issuer), each.workload));
  // A second read follows only if another request changed the trusted workflows during the pin.
  for (let attempt = 1; ; attempt += 1) {
    const read = await store.readWorkloadSignIn(serviceAccountId, issuer, keys, identity.kind === 'unverified');
    const { matches, serviceAccount, owner, registered } = read;
    const verified = identity.kind === 'workload' ? identity : await verifiedBy(identity, claimed, registered, now);
    const refused = { verified, registered, found: undefined };
    const match = verified && matches[claimed.indexOf(verified)];
    if (verified === undefined || match === undefined) return refused;
    if (serviceAccount?.disabled !== false || owner?.disabled !== false) return refused;
    // The comparison needs only the token, but runs after the read, so that every refusal costs the same reads.
    const { allow, pin } = candidatesIn(match, verified, serviceAccount.uid);
    const workflow = allow ?? pin;
    if (workflow === undefined) return refused;
    const accepted = { verified, registered, found: { workflow, serviceAccount } };
    const { ids } = verified.workload;
    if (allow !== undefined || ids === undefined) return accepted;
    if (await store.pinWorkflow(workflow, { ...ids, pinned_at: toTimestamp(now) }, match)) return accepted;
    if (attempt === 2) return refused;
  }
}

/** Returns the identity in the kind of the registered issuer, if a current key of this issuer signed the token. */
async function verifiedBy(
  identity: UnverifiedIdentity,
  claimed: readonly VerifiedIdentity[],
  registered: RegisteredIssuerRecord | undefined,
  now: number,
): Promise<VerifiedIdentity | undefined> {
  if (registered === undefined) return undefined;
  const { kind } = registered;
  const isSigned = await identity.isSignedBy(currentKeys(registered, now), kind);
  return isSigned ? claimed.find((each) => each.issuer.kind === kind) : undefined;
}

/** Returns true if a fetch of the issuer's keys can help: it has no current key with this ID, and a fetch is due. */
export function needsKeys(
  { kid }: Pick<UnverifiedIdentity, 'kid'>,
  registered: RegisteredIssuerRecord,
  now: number,
): boolean {
  return !currentKeys(registered, now).some((key) => key.kid === kid) && now >= nextEarlyFetchAt(registered);
}

/** Returns the first workflow of each verdict. Those found by their IDs come first. */
function candidatesIn({ name, ids }: FoundMatches, { issuer, workload }: VerifiedIdentity, uid: string) {
  const alternatives = [...(ids?.match?.alternatives ?? []), ...(name.match?.alternatives ?? [])];
  // A workflow that was trusted while its issuer had another kind has other conditions.
  const live = alternatives.filter((each) => each.service_account_uid === uid && each.kind === issuer.kind);
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
      : new Set([
          ...Object.values(provider.idClaims ?? {}),
          ...[...claims.keys()].filter((name) => !registeredClaims.has(name)).sort(),
        ]);
  const present = [...names].flatMap((name) => {
    const value = claims.get(name);
    return value === undefined ? [] : [[shortened(name), shortened(value)] as const];
  });
  return Object.fromEntries(present.slice(0, limits.refusedClaimsMax));
}

function shortened(text: string): string {
  return text.slice(0, limits.refusedClaimLengthMax);
}
