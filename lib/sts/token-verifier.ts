import * as z from 'zod';
import { foldAscii } from '../domain/ci/fold-ascii.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { RunClaims } from '../domain/ci/provider.ts';
import { ciProvider } from '../domain/ci/providers.ts';
import { subjectBytesMax } from '../domain/ci/subjects.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { isSignedBy, parseCompactToken, parseJson } from './compact-token.ts';
import type { FindIssuerKeys } from './issuer-keys.ts';

export interface VerifiedIdentity {
  issuer: CiIssuer;
  subject: string;
  audience: string;
  /** The CI system's numbers, which outlive a name; undefined where the token carries none. */
  repository_id: string | undefined;
  repository_owner_id: string | undefined;
  environment: string | undefined;
  /** False when the subject names another repository than the claims beside it. Such a token signs in nowhere. */
  isConsistent: boolean;
}

/**
 * Verifies a CI system's identity token for the given audience. Throws ServiceError `invalid_identity_token`,
 * `expired_identity_token` or `identity_provider_unreachable`.
 */
export interface IdentityTokenVerifier {
  verify(token: string, audience: string): Promise<VerifiedIdentity>;
}

const tokenBytesMax = 16 * 1024;

const numericDate = z.number().nonnegative();
const claimsSchema = z.object({
  sub: z.string().min(1),
  aud: z.union([z.string(), z.tuple([z.string()]).transform(([only]) => only)]),
  exp: numericDate,
  iat: numericDate,
  nbf: numericDate.optional(),
});

export function createIdentityTokenVerifier({
  issuers,
  findKeys,
  clock,
}: {
  issuers: readonly CiIssuer[];
  findKeys: FindIssuerKeys;
  clock: Clock;
}): IdentityTokenVerifier {
  return {
    async verify(token, audience) {
      const parsed = token.length <= tokenBytesMax ? parseCompactToken(token) : undefined;
      if (parsed === undefined) throw refusal('is not a CI identity token; check what the token file holds');
      const payload = parseJson(parsed.payload);
      // Claimed, not verified: it chooses among the configured issuers and nothing else.
      const claimed = z.object({ iss: z.string() }).safeParse(payload).data?.iss;
      const issuer = issuers.find((candidate) => candidate.issuer === claimed);
      if (issuer === undefined) throw refusal('comes from an issuer that is not accepted here');
      if (!issuer.algorithms.some((algorithm) => algorithm === parsed.alg))
        throw refusal(`must be signed with ${issuer.algorithms.join(' or ')}`);
      if (!(await isSignedBy(parsed, await findKeys(issuer.issuer, parsed.kid))))
        throw refusal('is not signed by a key of its issuer');
      return checkClaims(payload, issuer, issuer.audience ?? audience, clock());
    },
  };
}

function checkClaims(payload: unknown, issuer: CiIssuer, audience: string, now: number): VerifiedIdentity {
  const claims = claimsSchema.safeParse(payload);
  const run = ciProvider(issuer).runClaims.safeParse(payload);
  if (!claims.success || !run.success)
    throw refusal('must carry sub, exp, iat and exactly one audience, each of its proper type');
  const { sub, aud, exp, iat, nbf } = claims.data;
  const seconds = now / 1000;
  const leeway = limits.ciTokenLeewaySeconds;
  if (aud !== audience) throw refusal(`is for another audience; ask for one with the audience ${audience}`);
  if (Math.max(iat, nbf ?? 0) > seconds + leeway) throw refusal('is not valid yet; check the clock of its issuer');
  if (exp + leeway <= seconds)
    throw new ServiceError('expired_identity_token', 'The identity token has expired; ask for a new one');
  if (Buffer.byteLength(sub) > subjectBytesMax)
    throw refusal(`must have a subject of at most ${subjectBytesMax} bytes`);
  const { repository_id, repository_owner_id, environment } = run.data;
  const isConsistent = agrees(issuer, sub, run.data);
  return { issuer, subject: sub, audience, repository_id, repository_owner_id, environment, isConsistent };
}

/** Subjects can be customised at the issuer; one that speaks of another repository than the run's own is not believed. */
function agrees(issuer: CiIssuer, subject: string, run: RunClaims): boolean {
  const named = ciProvider(issuer).subjectRepository(subject);
  if (named === undefined) return true;
  const isSame = (claim: string | undefined, part: string | undefined) =>
    claim === undefined || part === undefined || foldAscii(claim) === foldAscii(part);
  return (
    isSame(run.repository, named.repository) &&
    isSame(run.repository_id, named.repository_id) &&
    isSame(run.repository_owner_id, named.repository_owner_id)
  );
}

function refusal(predicate: string): ServiceError {
  return new ServiceError('invalid_identity_token', `The identity token ${predicate}`);
}
