import { JwtVerifier } from 'aws-jwt-verify';
import { SimpleFetcher } from 'aws-jwt-verify/https';
import { assertIsJwks } from 'aws-jwt-verify/jwk';
import { decomposeUnverifiedJwt } from 'aws-jwt-verify/jwt';
import type { JwtPayload } from 'aws-jwt-verify/jwt-model';
import * as z from 'zod';
import { isForOnly } from '../domain/accounts/people-clients.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { refreshed, secondsAfter } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';
import type { PersonTokenVerifier } from '../http/authenticate.ts';

export interface PersonIssuer {
  /** The `iss` claim, to the letter; its discovery document lies below it. */
  issuer: string;
  /** The `aud` claim, or the `client_id` of a Cognito access token. Absent where only `furtherAudiences` has clients. */
  audience?: string;
  /** More of these, where a deployment has clients that it learns of later; asked for tokens that are for none of the above. */
  furtherAudiences?: () => Promise<readonly string[]>;
}

/** Fetches a document of the issuer. The default goes over https only, which is right everywhere but on one machine. */
export type IssuerFetcher = Pick<SimpleFetcher, 'fetch'>;

/** What tokens are checked with: the keys of one reading. */
interface Checks {
  hasKey(kid: string | undefined): boolean;
  /** All but the audience. */
  verify(token: string): JwtPayload;
}

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * OpenID Connect tokens of people: signature, issuer, audience or client id, expiry, and `token_use` where it is there.
 * The issuer's keys are read again every hour, so that a withdrawn one goes, and for a key ID not seen yet, at most every
 * ten seconds, since anybody can send tokens; an outage keeps them for a day. Throws `unavailable` while they cannot be
 * had.
 *
 * @param clock the time by which the keys age; the tokens' own times are compared with the machine's
 */
export function createPersonTokenVerifier(
  person: PersonIssuer,
  fetcher: IssuerFetcher = new SimpleFetcher(),
  clock: Clock = Date.now,
): PersonTokenVerifier {
  async function read(): Promise<Checks> {
    const document = await fetcher.fetch(`${person.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { issuer, jwks_uri } = discoverySchema.parse(JSON.parse(Buffer.from(document).toString('utf8')));
    if (issuer !== person.issuer) throw new Error("the discovery document names another issuer than the deployment's");
    const jwks = JSON.parse(Buffer.from(await fetcher.fetch(jwks_uri)).toString('utf8'));
    assertIsJwks(jwks);
    const kids = new Set(jwks.keys.map(({ kid }) => kid));
    const jwt = JwtVerifier.create({
      issuer,
      jwksUri: jwks_uri,
      audience: null,
      customJwtCheck: ({ payload }) => checkClaims(payload),
    });
    jwt.cacheJwks(jwks);
    // The one that never fetches: when keys are read is said below.
    return { hasKey: (kid) => kid === undefined || kids.has(kid), verify: (token) => jwt.verifySync(token) };
  }

  const current = refreshed<Checks>(
    read,
    {
      dueAt: secondsAfter(limits.issuerKeysRefreshSeconds),
      endsAt: secondsAfter(limits.issuerKeysCachedInOutageSeconds),
      failureRememberedSeconds: limits.issuerFailureRememberedSeconds,
      missEverySeconds: limits.issuerFailureRememberedSeconds,
      refusesMissInOutage: true,
      unavailable: (cause) =>
        new ServiceError('unavailable', 'Sign-in cannot be checked at the moment; try again in a few seconds', {
          cause,
        }),
    },
    clock,
  );

  async function isForApi(payload: JwtPayload): Promise<boolean> {
    const own = person.audience === undefined ? [] : [person.audience];
    if (isForOnly(payload, own)) return true;
    const further = (await person.furtherAudiences?.()) ?? [];
    return further.length > 0 && isForOnly(payload, [...own, ...further]);
  }

  return {
    async verify(token) {
      // Ours never hold more, and a larger one would be parsed before its signature says anything.
      if (token.length > 16_384) return undefined;
      const kid = claimedKeyId(token);
      const { verify } = await current(({ hasKey }) => hasKey(kid));
      const payload = verified(verify, token);
      if (payload?.sub === undefined || !(await isForApi(payload))) return undefined;
      return { issuer: person.issuer, identity_id: payload.sub };
    },
  };
}

function verified(verify: Checks['verify'], token: string): JwtPayload | undefined {
  try {
    return verify(token);
  } catch {
    // Whatever is wrong, the caller is told the same.
    return undefined;
  }
}

/** Nothing of a text that is no token: which keys are cached makes no difference to it. */
function claimedKeyId(token: string): string | undefined {
  try {
    return decomposeUnverifiedJwt(token).header.kid;
  } catch {
    return undefined;
  }
}

function checkClaims({ token_use, exp, sub }: JwtPayload): void {
  if (typeof exp !== 'number') throw new Error('a token without expiry');
  if (typeof sub !== 'string' || sub === '') throw new Error('a token without subject');
  if (token_use !== undefined && token_use !== 'id' && token_use !== 'access')
    throw new Error('a token for another use');
}
