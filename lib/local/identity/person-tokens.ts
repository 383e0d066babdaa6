import type { PersonTokenVerifier } from '../../http/authenticate.ts';
import { createPersonTokenVerifier, type PersonIssuer } from '../../management/person-tokens.ts';

/** The name by which the local issuer is remembered: its URL may have another port at the next start. */
export const localPeopleIssuer = 'http://people.localhost';

/** Checks tokens as deployed, over http. */
export function createLocalPersonTokens(
  { issuer, client_id, jwks_uri }: { issuer: PersonIssuer['issuer']; client_id: string; jwks_uri: string },
  rememberedAs: string,
): PersonTokenVerifier {
  // What the verifier reads of the discovery document is known here: the whole of it would load the provider.
  const discovery = Buffer.from(JSON.stringify({ issuer, jwks_uri }));
  const fetcher = {
    fetch: async (uri: string) =>
      uri === jwks_uri ? (await fetch(uri)).arrayBuffer() : new Uint8Array(discovery).buffer,
  };
  const people = createPersonTokenVerifier({ issuer, audience: client_id }, fetcher);
  return {
    async verify(token) {
      const person = await people.verify(token);
      return person && { ...person, issuer: rememberedAs };
    },
  };
}
