import * as z from 'zod';
import { isForOnly } from '../domain/accounts/user-clients.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { checkStarted, tokenRefusal, tokenTimes } from './compact-token.ts';

/** A user with a verified token. The user's rights depend on the account that the role ARN names. */
export interface VerifiedUser {
  kind: 'user';
  issuer: string;
  identity_id: string;
  audience: string;
  /** The expiry of the token in seconds since the Unix epoch. */
  expires_at: number;
}

/** The signature algorithms of Cognito and of most other user issuers. */
export const userTokenAlgorithms = ['RS256', 'ES256'] as const;

const claimsSchema = z.object({
  sub: z.string().min(1).max(255),
  aud: z.unknown().optional(),
  client_id: z.unknown().optional(),
  token_use: z.enum(['id', 'access']).optional(),
  ...tokenTimes,
});

/**
 * Returns the user of a token whose signature is verified. Throws `invalid_identity_token` if the token's audience is
 * not data access only, such as a token for the management API. Throws `expired_identity_token` if the token expires
 * in less than a minute.
 */
export function checkUserClaims(
  payload: unknown,
  { issuer, data_audiences }: { issuer: string; data_audiences: readonly string[] },
  now: number,
): VerifiedUser {
  const claims = claimsSchema.safeParse(payload);
  if (!claims.success) throw tokenRefusal('must carry sub, exp and iat, each of its proper type');
  const audience = data_audiences.find((accepted) => isForOnly(claims.data, [accepted]));
  if (audience === undefined) {
    throw tokenRefusal(`is for another audience; sign in with the client for data, ${data_audiences.join(' or ')}`);
  }
  const { sub, exp } = claims.data;
  checkStarted(claims.data, now);
  if (secondsLeft(exp, now) < limits.userTokenLeftMinSeconds) {
    throw new ServiceError('expired_identity_token', 'The identity token has expired or is about to; get a new one');
  }
  return { kind: 'user', issuer, identity_id: sub, audience, expires_at: exp };
}

function secondsLeft(expiresAt: number, now: number): number {
  return Math.floor(expiresAt - now / 1000);
}

/**
 * Returns the duration of a user's temporary credentials. They expire together with the user's token. Throws
 * `invalid_request` if the client requests a longer duration.
 */
export function userSessionSeconds(
  { expires_at }: Pick<VerifiedUser, 'expires_at'>,
  asked: number | undefined,
  now: number,
): number {
  const left = secondsLeft(expires_at, now);
  if (asked === undefined) return Math.min(limits.sessionDurationDefaultSeconds, left);
  if (asked <= left) return asked;
  throw new ServiceError(
    'invalid_request',
    `DurationSeconds must be at most ${left}: the identity token ends in ${left} seconds; request a shorter time or none, or use a new token`,
  );
}
