import { JwtVerifier } from 'aws-jwt-verify';
import { SimpleFetcher } from 'aws-jwt-verify/https';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import type { JwtPayload } from 'aws-jwt-verify/jwt-model';
import * as z from 'zod';
import type { PersonTokenVerifier } from '../http/authenticate.ts';

export interface PersonIssuer {
  /** The `iss` claim, to the letter; its discovery document lies below it. */
  issuer: string;
  /** The `aud` claim, or the `client_id` of a Cognito access token. */
  audience: string;
}

/** Fetches a document of the issuer. The default goes over https only, which is right everywhere but on one machine. */
export type IssuerFetcher = Pick<SimpleFetcher, 'fetch'>;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** OpenID Connect tokens of people: signature, issuer, audience or client id, expiry, and `token_use` where it is there. */
export function createPersonTokenVerifier(
  person: PersonIssuer,
  fetcher: IssuerFetcher = new SimpleFetcher(),
): PersonTokenVerifier {
  let verifier: Promise<(token: string) => Promise<JwtPayload>> | undefined;

  async function discover() {
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
      { jwksCache: new SimpleJwksCache({ fetcher }) },
    );
    return (token: string) => jwt.verify(token);
  }

  return {
    async verify(token) {
      // Ours never hold more, and a larger one would be parsed before its signature says anything.
      if (token.length > 16_384) return undefined;
      verifier ??= discover();
      const verify = await verifier.catch((error: unknown) => {
        verifier = undefined;
        throw error;
      });
      try {
        const { sub } = await verify(token);
        return sub === undefined ? undefined : { identity_id: sub };
      } catch {
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
