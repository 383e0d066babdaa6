import type { UserClients } from '../../domain/accounts/user-clients.ts';
import type { UserTokenVerifier } from '../../http/authenticate.ts';
import { createUserTokenVerifier, type UserIssuer } from '../../http/user-tokens.ts';
import type { IdentityTokenVerifier } from '../../sts/token-verifier.ts';
import type { IdentityIssuers } from './issuers.ts';

/**
 * The name under which the table stores the local issuer. The issuer's URL is not stored, because its port may change
 * at the next start.
 */
export const localUserIssuer = 'http://people.localhost';

export function userClientsOf({ issuer, client_id, data_client_id }: IdentityIssuers['people']): UserClients {
  return { issuer, api_audiences: [client_id], data_audiences: [data_client_id], site_client_id: client_id };
}

/** Replaces the issuer's URL in verified user tokens by the name under which the issuer is stored. */
export function withStoredIssuer(tokens: IdentityTokenVerifier, rememberedAs: string): IdentityTokenVerifier {
  return {
    async verify(token, audience) {
      const verified = await tokens.verify(token, audience);
      return verified.kind === 'user' ? { ...verified, issuer: rememberedAs } : verified;
    },
  };
}

/** Verifies user tokens in the same way as a deployment, but loads the keys over http. */
export function createLocalUserTokens(
  { issuer, client_id, jwks_uri }: { issuer: UserIssuer['issuer']; client_id: string; jwks_uri: string },
  rememberedAs: string,
): UserTokenVerifier {
  // Give the verifier a short discovery document. A request for the complete document would load the provider library.
  const discovery = Buffer.from(JSON.stringify({ issuer, jwks_uri }));
  const fetcher = {
    fetch: async (uri: string) =>
      uri === jwks_uri ? (await fetch(uri)).arrayBuffer() : new Uint8Array(discovery).buffer,
  };
  const verifier = createUserTokenVerifier({ issuer, audience: client_id }, Date.now, fetcher);
  return {
    async verify(token) {
      const user = await verifier.verify(token);
      return user && { ...user, issuer: rememberedAs };
    },
  };
}
