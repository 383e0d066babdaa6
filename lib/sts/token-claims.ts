import * as z from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

const numericDate = z.number().nonnegative();

/** The times of a token, in seconds since the Unix epoch (RFC 7519, section 4.1). */
export const tokenTimes = { exp: numericDate, iat: numericDate, nbf: numericDate.optional() };

/** Throws for a token from the future. Allows a minute of clock difference. */
export function checkStarted({ iat, nbf }: { iat: number; nbf?: number | undefined }, now: number): void {
  if (Math.max(iat, nbf ?? 0) > now / 1000 + limits.ciTokenLeewaySeconds)
    throw tokenRefusal('is not valid yet; check the clock of its issuer');
}

export function tokenRefusal(predicate: string): ServiceError {
  return new ServiceError('invalid_identity_token', `The identity token ${predicate}`);
}
