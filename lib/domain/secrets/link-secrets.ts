import { hash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import type { RandomSource } from '../random.ts';

/**
 * Size of the secret of a link. The URL of a link contains the secret after `#`, so that no browser sends it to a
 * server. Clients send it only in the body of a POST request.
 */
const secretBytes = 32;

/**
 * The secret of a link in a request. Its form is not checked, so that a malformed secret has the same response as a
 * wrong one.
 */
export const linkSecretBodySchema = z.strictObject({ secret: z.string().max(128) });

export function newLinkSecret(random: RandomSource): string {
  return Buffer.from(random.bytes(secretBytes)).toString('base64url');
}

/**
 * Returns the hash of a link's secret, which the table stores. The secret has 256 random bits, so the hash needs no
 * salt.
 */
export function hashLinkSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function isLinkSecret(secret: string, secretHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashLinkSecret(secret), 'hex'), Buffer.from(secretHash, 'hex'));
}

/**
 * Creates the error for a link that cannot be used. It is the same for links that are unknown, used, expired, or
 * revoked, and for a wrong secret.
 */
export function unusableLink(): ServiceError {
  return new ServiceError(
    'not_found',
    'This link is not valid: it is incomplete, or it expired, or was used or revoked. Ask its sender for a new one.',
  );
}
