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

/** The result of a sign-in with a CI token. If `found` is undefined, the sign-in is refused. */
export interface WorkloadSignIn {
  /** The workload of the token. Undefined if no key of the registered issuer signed the token. */
  verified: VerifiedIdentity | undefined;
  found: { workflow: TrustedWorkflowRecord; serviceAccount: ServiceAccountRecord } | undefined;
  /** The issuer of the token as an account registered it. Undefined if the deployment configures the issuer. */
  registered: RegisteredIssuerRecord | undefined;
}

/**
 * Finds the trusted workflow that lets a workload sign in. There is none if the token is not verified or the workload
 * is not trusted, if the service account is missing or disabled, or if another owner took over the repository's name.
 * At the first sign-in, the function stores the numeric IDs of the repository.
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
  // Read again only if another request changed the trusted workflows while the numeric IDs were stored.
  for (let attempt = 1; ; attempt += 1) {
    const read = await store.readWorkloadSignIn(serviceAccountId, issuer, keys, identity.kind === 'unverified');
    const { matches, serviceAccount, owner, registered } = read;
    const verified = identity.kind === 'workload' ? identity : await verifiedBy(identity, claimed, registered, now);
    const refused = { verified, registered, found: undefined };
    const match = verified && matches[claimed.indexOf(verified)];
    if (verified === undefined || match === undefined) return refused;
    if (serviceAccount?.disabled !== false || owner?.disabled !== false) return refused;
    // The comparison needs only the token, but comes after the read, so that every refusal takes the same number of
    // reads.
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

/** Returns the workload, parsed by the registered issuer's kind, if a current key of this issuer signed the token. */
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

/**
 * Returns true if a fetch of the issuer's keys can help: the issuer has no current key with the token's key ID, and
 * enough time has passed since the last fetch.
 */
export function needsKeys(
  { kid }: Pick<UnverifiedIdentity, 'kid'>,
  registered: RegisteredIssuerRecord,
  now: number,
): boolean {
  return !currentKeys(registered, now).some((key) => key.kid === kid) && now >= nextEarlyFetchAt(registered);
}

/**
 * Returns the first trusted workflow that allows the sign-in, and the first that allows it after its numeric IDs are
 * stored. Workflows found by numeric IDs come first.
 */
function candidatesIn({ name, ids }: FoundMatches, { issuer, workload }: VerifiedIdentity, uid: string) {
  const alternatives = [...(ids?.match?.alternatives ?? []), ...(name.match?.alternatives ?? [])];
  // Ignore a workflow that was trusted while its issuer had another kind, because its conditions are those of the other
  // kind.
  const live = alternatives.filter((each) => each.service_account_uid === uid && each.kind === issuer.kind);
  const verdicts = live.map((workflow) => ({ workflow, verdict: compareWithTrust(workload, workflow) }));
  const first = (wanted: string) => verdicts.find(({ verdict }) => verdict === wanted)?.workflow;
  return { allow: first('allow'), pin: first('pin') };
}

/** Returns the record of a refused sign-in. Cuts long claims, because valid IDs and names are shorter. */
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

/**
 * Claims that are not recorded for a refused sign-in. Every token has them (RFC 7519). The record stores the subject in
 * a field of its own. The other claims differ in each token, so they explain nothing.
 */
const registeredClaims = new Set(['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti']);

/** Returns the claims that a trusted workflow can require. They explain the refusal to the owner. */
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
