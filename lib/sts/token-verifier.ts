import * as z from 'zod';
import type { UserClientsSource } from '../domain/accounts/user-clients.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { PublicJwk } from '../domain/ci/key-sets.ts';
import { type CiProviderKind, ciProvider } from '../domain/ci/providers.ts';
import { issuerUrlFault, lookAlikeOf } from '../domain/ci/registered-issuers.ts';
import { subjectBytesMax } from '../domain/ci/subjects.ts';
import { parseTokenClaims, parseWorkload, type Workload } from '../domain/ci/workload.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { utf8Bytes } from '../domain/utf8-bytes.ts';
import {
  type CompactToken,
  checkStarted,
  isSignedBy,
  parseCompactToken,
  parseJson,
  tokenRefusal,
  tokenTimes,
} from './compact-token.ts';
import { type FindIssuerKeys, importKey } from './issuer-keys.ts';
import { checkUserClaims, userTokenAlgorithms, type VerifiedUser } from './user-token.ts';

/** A verified workload, such as a run of a CI system. */
export interface VerifiedIdentity {
  kind: 'workload';
  issuer: Pick<CiIssuer, 'issuer' | 'kind'>;
  audience: string;
  workload: Workload;
}

/**
 * A token whose issuer the deployment does not configure. The account that owns the service account may have
 * registered the issuer.
 */
export interface UnverifiedIdentity {
  kind: 'unverified';
  issuer: string;
  kid: string;
  /**
   * Parses the token by the rules of an issuer kind, and returns the workload that the token claims to be. Returns
   * undefined if its claims have the wrong types for this issuer kind.
   */
  claimedAs(kind: CiProviderKind): VerifiedIdentity | undefined;
  /** Returns true if one of the keys signed the token with an algorithm that the issuer kind allows. */
  isSignedBy(keys: readonly PublicJwk[], kind: CiProviderKind): Promise<boolean>;
}

/**
 * Verifies an identity token: a CI token for the given audience, or a user's token for data access. If the deployment
 * does not configure the issuer, runs only the checks that need no key, and returns the token as unverified.
 *
 * Throws ServiceError `invalid_identity_token`, `expired_identity_token`, or `identity_provider_unreachable`. Throws
 * `unavailable` if the list of OIDC clients cannot be read.
 */
export interface IdentityTokenVerifier {
  verify(token: string, audience: string): Promise<VerifiedIdentity | UnverifiedIdentity | VerifiedUser>;
}

const tokenBytesMax = 16 * 1024;

const claimsSchema = z.object({
  sub: z.string().min(1),
  aud: z.union([z.string(), z.tuple([z.string()]).transform(([only]) => only)]),
  ...tokenTimes,
});

export function createIdentityTokenVerifier({
  issuers,
  userClients,
  findKeys,
  clock,
}: {
  issuers: readonly CiIssuer[];
  userClients: UserClientsSource;
  findKeys: FindIssuerKeys;
  clock: Clock;
}): IdentityTokenVerifier {
  async function checkSignature(parsed: CompactToken, issuer: string, algorithms: readonly string[]): Promise<void> {
    if (!algorithms.includes(parsed.alg)) throw tokenRefusal(`must be signed with ${algorithms.join(' or ')}`);
    if (!(await isSignedBy(parsed, await findKeys(issuer, parsed.kid))))
      throw tokenRefusal('is not signed by a key of its issuer');
  }

  return {
    async verify(token, audience) {
      const parsed = token.length <= tokenBytesMax ? parseCompactToken(token) : undefined;
      if (parsed === undefined) throw tokenRefusal('is not an identity token; check what the token file holds');
      const payload = parseJson(parsed.payload);
      // Use the unverified issuer claim only to select one of the configured issuers.
      const claimed = z.object({ iss: z.string() }).safeParse(payload).data?.iss;
      const issuer = issuers.find((candidate) => candidate.issuer === claimed);
      if (issuer !== undefined) {
        await checkSignature(parsed, issuer.issuer, issuer.algorithms);
        return checkClaims(payload, issuer, issuer.audience ?? audience, clock());
      }
      // Read the list of OIDC clients only for other issuers. Tokens of configured CI issuers therefore work even if
      // this read fails.
      const clients = claimed === undefined ? undefined : await userClients();
      if (clients !== undefined && clients.issuer === claimed && clients.data_audiences.length > 0) {
        await checkSignature(parsed, clients.issuer, userTokenAlgorithms);
        return checkUserClaims(payload, clients, clock());
      }
      const known = [
        ...issuers.map((configured) => configured.issuer),
        ...(clients === undefined ? [] : [clients.issuer]),
      ];
      // Reject issuers that no account can register, such as those that look like a configured issuer.
      if (
        claimed === undefined ||
        issuerUrlFault(claimed, { allowsLoopback: true }) !== undefined ||
        lookAlikeOf(claimed, known) !== undefined
      )
        throw tokenRefusal('comes from an issuer that is not accepted here');
      return unverified(parsed, payload, claimed, audience, clock());
    },
  };
}

function unverified(
  parsed: CompactToken,
  payload: unknown,
  issuer: string,
  audience: string,
  now: number,
): UnverifiedIdentity {
  const sub = checkedSubject(payload, audience, now);
  // Parse the token by the rules of every issuer kind, because the kind is not known yet.
  const claims = parseTokenClaims(payload);
  return {
    kind: 'unverified',
    issuer,
    kid: parsed.kid,
    claimedAs(kind) {
      const workload = claims && parseWorkload(ciProvider({ kind }), sub, claims);
      return workload && { kind: 'workload', issuer: { issuer, kind }, audience, workload };
    },
    async isSignedBy(jwks, kind) {
      const isAllowed = ciProvider({ kind }).algorithms.some((algorithm) => algorithm === parsed.alg);
      const named = jwks.filter((jwk) => jwk.kid === parsed.kid);
      return isAllowed && isSignedBy(parsed, named.map(importKey));
    },
  };
}

function checkClaims(payload: unknown, issuer: CiIssuer, audience: string, now: number): VerifiedIdentity {
  const sub = checkedSubject(payload, audience, now);
  const claims = parseTokenClaims(payload);
  const workload = claims && parseWorkload(ciProvider(issuer), sub, claims);
  if (workload === undefined) throw wrongClaims();
  return { kind: 'workload', issuer, audience, workload };
}

/** Checks the claims that every token must have, and returns the subject. */
function checkedSubject(payload: unknown, audience: string, now: number): string {
  const claims = claimsSchema.safeParse(payload).data;
  if (claims === undefined) throw wrongClaims();
  const { sub, aud, exp } = claims;
  const leeway = limits.ciTokenLeewaySeconds;
  if (aud !== audience) throw tokenRefusal(`is for another audience; request one with the audience ${audience}`);
  checkStarted(claims, now);
  if (exp + leeway <= now / 1000)
    throw new ServiceError('expired_identity_token', 'The identity token has expired; request a new one');
  if (utf8Bytes(sub) > subjectBytesMax) throw tokenRefusal(`must have a subject of at most ${subjectBytesMax} bytes`);
  return sub;
}

function wrongClaims(): ServiceError {
  return tokenRefusal('must carry sub, exp, iat and exactly one audience, each of its proper type');
}
