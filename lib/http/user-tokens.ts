import { JwtVerifier } from 'aws-jwt-verify';
import { SimpleFetcher } from 'aws-jwt-verify/https';
import { assertIsJwks } from 'aws-jwt-verify/jwk';
import { decomposeUnverifiedJwt } from 'aws-jwt-verify/jwt';
import type { JwtPayload } from 'aws-jwt-verify/jwt-model';
import * as z from 'zod';
import { isForOnly } from '../domain/accounts/user-clients.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createRefreshedValue, secondsAfter } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';
import type { UserTokenVerifier } from './authenticate.ts';

export interface UserIssuer {
  /** The exact `iss` claim of the issuer. It is the base URL of the discovery document. */
  issuer: string;
  /**
   * The accepted `aud` claim, or the `client_id` of a Cognito access token. Absent if all clients come from
   * `furtherAudiences`.
   */
  audience?: string;
  /**
   * Returns the audiences of clients that were created after the deployment. The verifier calls it only if no
   * configured audience matches the token.
   */
  furtherAudiences?: () => Promise<readonly string[]>;
}

/** Fetches a document of the issuer. The default accepts only https. The local service uses another function. */
export type IssuerFetcher = Pick<SimpleFetcher, 'fetch'>;

/** Verification functions that use one fetched key set. */
interface Checks {
  hasKey(kid: string | undefined): boolean;
  /** Verifies the token, except for its audience. */
  verify(token: string): JwtPayload;
}

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Verifies OpenID Connect tokens of users: signature, issuer, audience or client ID, expiry, and `token_use` if
 * present.
 *
 * The verifier fetches the issuer's keys every hour, so that a withdrawn key stops working. An unknown key ID causes a
 * fetch at most every ten seconds, because anyone can send tokens. While the issuer does not respond, the verifier uses
 * the cached keys for a day. Throws `unavailable` if it has no keys.
 *
 * @param clock the clock for the age of the keys; the times in tokens are compared with the machine's clock
 */
export function createUserTokenVerifier(
  user: UserIssuer,
  clock: Clock,
  fetcher: IssuerFetcher = new SimpleFetcher(),
): UserTokenVerifier {
  async function read(): Promise<Checks> {
    const document = await fetcher.fetch(`${user.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { issuer, jwks_uri } = discoverySchema.parse(JSON.parse(Buffer.from(document).toString('utf8')));
    if (issuer !== user.issuer) throw new Error("the discovery document names another issuer than the deployment's");
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
    // Use `verifySync`, because it never fetches keys. The cache of keys decides when to fetch.
    return { hasKey: (kid) => kid === undefined || kids.has(kid), verify: (token) => jwt.verifySync(token) };
  }

  const current = createRefreshedValue<Checks>(
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
    const own = user.audience === undefined ? [] : [user.audience];
    if (isForOnly(payload, own)) return true;
    const further = (await user.furtherAudiences?.()) ?? [];
    return further.length > 0 && isForOnly(payload, [...own, ...further]);
  }

  return {
    async verify(token) {
      // Reject a token that is larger than any real token, because its claims are parsed before its signature is
      // verified.
      if (token.length > 16_384) return undefined;
      // Return before any fetch of keys if the text is not a token.
      const kid = undefinedIfInvalid(() => decomposeUnverifiedJwt(token).header.kid);
      const { verify } = await current(({ hasKey }) => hasKey(kid));
      const payload = undefinedIfInvalid(() => verify(token));
      if (payload?.sub === undefined || !(await isForApi(payload))) return undefined;
      return { issuer: user.issuer, identity_id: payload.sub };
    },
  };
}

/** Returns undefined if the function throws, so that every invalid token gets the same response. */
function undefinedIfInvalid<T>(read: () => T): T | undefined {
  try {
    return read();
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
