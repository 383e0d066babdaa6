import * as z from 'zod';

/**
 * The issuer and the audiences of user tokens. The management API accepts `api_audiences`, and the credential exchange
 * accepts `data_audiences`. No audience is in both lists.
 *
 * A deployment stores this data in a parameter of its home region (`userClientsParameter` in lib/stacks/names.ts). The
 * edge functions read the parameter. If the deployment has a user pool, the API reads it too.
 */
export const userClientsSchema = z.object({
  /** The `iss` claim that a token must have exactly. */
  issuer: z.url(),
  /** The accepted `aud` values. If an access token has no `aud`, its `client_id` is compared with these values. */
  api_audiences: z.array(z.string().min(1)),
  /** The audiences that the credential exchange accepts. Empty if users cannot sign in to their data with tools. */
  data_audiences: z.array(z.string().min(1)),
  /**
   * The client ID of the site, whose tokens are for the management API. Absent if the deployment configures its own
   * issuer.
   */
  site_client_id: z.string().min(1).optional(),
});
export type UserClients = z.infer<typeof userClientsSchema>;

/**
 * Loads the list of clients when a token must be checked. Returns undefined if none is configured; then no user token
 * is valid.
 */
export type UserClientsSource = () => Promise<UserClients | undefined>;

/** The unverified claims of a token that name its audience. */
export interface AudienceClaims {
  aud?: unknown;
  client_id?: unknown;
  token_use?: unknown;
}

/**
 * Returns true if every audience of the token is accepted. A token that is valid for a second service is refused,
 * because it could leak from that service.
 */
export function isForOnly({ aud, client_id, token_use }: AudienceClaims, audiences: readonly string[]): boolean {
  // Access tokens of Cognito have no `aud`, so their client ID is compared.
  const named: unknown[] = token_use === 'access' && aud === undefined ? [client_id] : [aud].flat();
  return named.length > 0 && named.every((audience) => audiences.some((accepted) => accepted === audience));
}
