import type { PersonTokenVerifier } from '../../http/authenticate.ts';
import { createPersonTokenVerifier, type PersonIssuer } from '../../management/person-tokens.ts';

/** The name by which the local issuer is remembered: its address may have another port at the next start. */
export const localPeopleIssuer = 'http://people.localhost';

/** Checks tokens as deployed, over http. */
export function createLocalPersonTokens(
  { issuer, client_id }: { issuer: PersonIssuer['issuer']; client_id: string },
  rememberedAs: string,
): PersonTokenVerifier {
  const fetcher = { fetch: async (uri: string) => (await fetch(uri)).arrayBuffer() };
  const people = createPersonTokenVerifier({ issuer, audience: client_id }, fetcher);
  return {
    async verify(token) {
      const person = await people.verify(token);
      return person && { ...person, issuer: rememberedAs };
    },
  };
}
