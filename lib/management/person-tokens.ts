import { JwtVerifier } from 'aws-jwt-verify';
import { SimpleFetcher } from 'aws-jwt-verify/https';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import type { JwtPayload } from 'aws-jwt-verify/jwt-model';
import * as z from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { refreshed, secondsAfter } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';
import type { PersonTokenVerifier } from '../http/authenticate.ts';

export interface PersonIssuer {
  /** The `iss` claim, to the letter; its discovery document lies below it. */
  issuer: string;
  /** The `aud` claim, or the `client_id` of a Cognito access token. */
  audience: string;
}

/** Fetches a document of the issuer. The default goes over https only, which is right everywhere but on one machine. */
export type IssuerFetcher = Pick<SimpleFetcher, 'fetch'>;

type Verify = (token: string) => Promise<JwtPayload>;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * OpenID Connect tokens of people: signature, issuer, audience or client id, expiry, and `token_use` where it is there.
 * The issuer's keys are read again every hour, so that a withdrawn one goes, and for a key ID not seen yet; an outage
 * keeps them for a day. Throws `unavailable` while they cannot be had.
 *
 * @param clock the time by which the keys age; the tokens' own times are compared with the machine's
 */
export function createPersonTokenVerifier(
  person: PersonIssuer,
  fetcher: IssuerFetcher = new SimpleFetcher(),
  clock: Clock = Date.now,
): PersonTokenVerifier {
  let failedAt = Number.NEGATIVE_INFINITY;

  function unreachable(cause?: unknown): ServiceError {
    return new ServiceError('unavailable', 'Sign-in cannot be checked at the moment; try again in a few seconds', {
      cause,
    });
  }

  /**
   * For the verifier's own fetches, of keys not seen yet: remembers a failure for a while, since anybody can send tokens,
   * and each would have the issuer asked again.
   */
  async function attempt<T>(step: () => Promise<T>): Promise<T> {
    if (clock() - failedAt < limits.issuerFailureRememberedSeconds * 1000) throw unreachable();
    try {
      return await step();
    } catch (error) {
      failedAt = clock();
      throw error instanceof ServiceError ? error : unreachable(error);
    }
  }

  const rememberingFetcher: IssuerFetcher = { fetch: (uri) => attempt(() => fetcher.fetch(uri)) };

  async function read(): Promise<Verify> {
    const document = await fetcher.fetch(`${person.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { issuer, jwks_uri } = discoverySchema.parse(JSON.parse(Buffer.from(document).toString('utf8')));
    if (issuer !== person.issuer) throw new Error("the discovery document names another issuer than the deployment's");
    const jwt = JwtVerifier.create(
      {
        issuer,
        jwksUri: jwks_uri,
        audience: null,
        customJwtCheck: ({ payload }) => checkClaims(payload, person.audience),
      },
      { jwksCache: new SimpleJwksCache({ fetcher: rememberingFetcher }) },
    );
    await jwt.hydrate();
    return (token) => jwt.verify(token);
  }

  const current = refreshed<Verify>(
    read,
    {
      dueAt: secondsAfter(limits.issuerKeysRefreshSeconds),
      endsAt: secondsAfter(limits.issuerKeysKeptInOutageSeconds),
      failureRememberedSeconds: limits.issuerFailureRememberedSeconds,
      unavailable: unreachable,
    },
    clock,
  );

  return {
    async verify(token) {
      // Ours never hold more, and a larger one would be parsed before its signature says anything.
      if (token.length > 16_384) return undefined;
      const verify = await current();
      try {
        const { sub } = await verify(token);
        return sub === undefined ? undefined : { issuer: person.issuer, identity_id: sub };
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        // Whatever is wrong, the caller is told the same.
        return undefined;
      }
    },
  };
}

function checkClaims(payload: JwtPayload, audience: string): void {
  const { aud, client_id, token_use, exp, sub } = payload;
  if (typeof exp !== 'number') throw new Error('a token without expiry');
  if (typeof sub !== 'string' || sub === '') throw new Error('a token without subject');
  if (token_use !== undefined && token_use !== 'id' && token_use !== 'access')
    throw new Error('a token for another use');
  const audiences = token_use === 'access' && aud === undefined ? [client_id] : [aud].flat();
  if (!audiences.includes(audience)) throw new Error('a token for another audience');
}
