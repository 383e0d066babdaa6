import * as z from 'zod';

/**
 * The issuer and the audiences of user tokens. The management API accepts `api_audiences`, and the credential exchange
 * accepts `data_audiences`. No audience is in both lists. A deployment stores this in a parameter of its home region
 * (`userClientsParameter` in lib/stacks/names.ts). The edge reads it, and with a user pool the API too.
 */
export const userClientsSchema = z.object({
  /** The `iss` claim, compared exactly. */
  issuer: z.url(),
  /** `aud` of a token, or `client_id` of an access token that has no `aud`. */
  api_audiences: z.array(z.string().min(1)),
  /** Empty if users do not sign in to their data with tools. */
  data_audiences: z.array(z.string().min(1)),
  /** The site's client, whose tokens are for the management API. Absent if the configuration names an issuer. */
  site_client_id: z.string().min(1).optional(),
});
export type UserClients = z.infer<typeof userClientsSchema>;

/** Loads the clients when a token needs them. Undefined if none are configured, so no user token is valid. */
export type UserClientsSource = () => Promise<UserClients | undefined>;

/** The unverified claims of a token that name its audience. */
export interface AudienceClaims {
  aud?: unknown;
  client_id?: unknown;
  token_use?: unknown;
}

/** Returns true if a token is for these audiences only. A token for two services could leak from the other one. */
export function isForOnly({ aud, client_id, token_use }: AudienceClaims, audiences: readonly string[]): boolean {
  // Access tokens of Cognito have no `aud`.
  const named: unknown[] = token_use === 'access' && aud === undefined ? [client_id] : [aud].flat();
  return named.length > 0 && named.every((audience) => audiences.some((accepted) => accepted === audience));
}
