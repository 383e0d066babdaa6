import * as z from 'zod';
import type { UserClientsSource } from '../domain/accounts/user-clients.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import { ciProvider } from '../domain/ci/providers.ts';
import { subjectBytesMax } from '../domain/ci/subjects.ts';
import { parseWorkload, type Workload } from '../domain/ci/workload.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import {
  type CompactToken,
  checkStarted,
  isSignedBy,
  parseCompactToken,
  parseJson,
  tokenRefusal,
  tokenTimes,
} from './compact-token.ts';
import type { FindIssuerKeys } from './issuer-keys.ts';
import { checkUserClaims, userTokenAlgorithms, type VerifiedUser } from './user-token.ts';

/** A verified workload, such as a run of a CI system. */
export interface VerifiedIdentity {
  kind: 'workload';
  issuer: CiIssuer;
  audience: string;
  workload: Workload;
}

/**
 * Verifies an identity token: a CI token for the given audience, or a user's token for data access. Throws ServiceError
 * `invalid_identity_token`, `expired_identity_token`, `identity_provider_unreachable`, or `unavailable` when the OIDC
 * clients cannot be read.
 */
export interface IdentityTokenVerifier {
  verify(token: string, audience: string): Promise<VerifiedIdentity | VerifiedUser>;
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
      // This claim is not verified yet. It only selects one of the configured issuers.
      const claimed = z.object({ iss: z.string() }).safeParse(payload).data?.iss;
      const issuer = issuers.find((candidate) => candidate.issuer === claimed);
      if (issuer !== undefined) {
        await checkSignature(parsed, issuer.issuer, issuer.algorithms);
        return checkClaims(payload, issuer, issuer.audience ?? audience, clock());
      }
      // CI tokens do not reach this read, so that they do not depend on it.
      const clients = claimed === undefined ? undefined : await userClients();
      if (clients === undefined || clients.issuer !== claimed || clients.data_audiences.length === 0)
        throw tokenRefusal('comes from an issuer that is not accepted here');
      await checkSignature(parsed, clients.issuer, userTokenAlgorithms);
      return checkUserClaims(payload, clients, clock());
    },
  };
}

function checkClaims(payload: unknown, issuer: CiIssuer, audience: string, now: number): VerifiedIdentity {
  const claims = claimsSchema.safeParse(payload).data;
  const workload = claims && parseWorkload(ciProvider(issuer), claims.sub, payload);
  if (claims === undefined || workload === undefined)
    throw tokenRefusal('must carry sub, exp, iat and exactly one audience, each of its proper type');
  const { sub, aud, exp } = claims;
  const seconds = now / 1000;
  const leeway = limits.ciTokenLeewaySeconds;
  if (aud !== audience) throw tokenRefusal(`is for another audience; ask for one with the audience ${audience}`);
  checkStarted(claims, now);
  if (exp + leeway <= seconds)
    throw new ServiceError('expired_identity_token', 'The identity token has expired; ask for a new one');
  if (Buffer.byteLength(sub) > subjectBytesMax)
    throw tokenRefusal(`must have a subject of at most ${subjectBytesMax} bytes`);
  return { kind: 'workload', issuer, audience, workload };
}
