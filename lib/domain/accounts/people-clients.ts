import * as z from 'zod';

/**
 * Whose tokens sign people in, and at which door: those of `api_audiences` at the management API, those of
 * `data_audiences` at the credential exchange. No audience is in both. A deployment with a user pool keeps this in one
 * parameter of its home region (`peopleClientsParameter` in lib/stacks/names.ts), which its API and its edge read.
 */
export const peopleClientsSchema = z.object({
  /** The `iss` claim, to the letter. */
  issuer: z.url(),
  /** `aud` of a token, or `client_id` of an access token that has no `aud`. */
  api_audiences: z.array(z.string().min(1)),
  /** Empty where people do not sign in to their data by tools. */
  data_audiences: z.array(z.string().min(1)),
  /** The site's client, whose tokens are for the management API. Absent where the configuration names an issuer. */
  site_client_id: z.string().min(1).optional(),
});
export type PeopleClients = z.infer<typeof peopleClientsSchema>;

/** Asked for when a token needs it; undefined where none are known, and then people sign in nowhere by it. */
export type PeopleClientsSource = () => Promise<PeopleClients | undefined>;

/** The claims of a token that say whom it is for, none of them checked. */
export interface AudienceClaims {
  aud?: unknown;
  client_id?: unknown;
  token_use?: unknown;
}

/**
 * Whether a token is for one of these audiences and for nobody else. A list that holds anything else beside is refused: a
 * token for two doors that leaks at one of them would open the other.
 */
export function isForOnly({ aud, client_id, token_use }: AudienceClaims, audiences: readonly string[]): boolean {
  // Access tokens of Cognito have no `aud`.
  const named: unknown[] = token_use === 'access' && aud === undefined ? [client_id] : [aud].flat();
  return named.length > 0 && named.every((audience) => audiences.some((accepted) => accepted === audience));
}
