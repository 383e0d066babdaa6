import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

/** The header with which CloudFront proves that a request passed through it, and therefore through the firewall. */
export const originHeader = 'x-sluice-origin';

/**
 * The versions of the secret with which CloudFront proves that it sent a request. CloudFront sends `current`, and the
 * API accepts all versions. All instances know `next` long before CloudFront sends it.
 */
export const originSecretSchema = z.object({
  previous: z.string().min(32).optional(),
  current: z.string().min(32),
  /**
   * The next version of the secret. Absent until the first rotation, which creates it and leaves `current` unchanged.
   */
  next: z.string().min(32).optional(),
});
export type OriginSecret = z.infer<typeof originSecretSchema>;

export function comesFromDistribution(given: string | undefined, { previous, current, next }: OriginSecret): boolean {
  return given !== undefined && [previous, current, next].some((known) => known !== undefined && isSame(given, known));
}

export function rotateOriginSecret({ current, next }: OriginSecret, fresh: string): OriginSecret {
  return next === undefined ? { current, next: fresh } : { previous: current, current: next, next: fresh };
}

/**
 * Compares hashes of two secrets in constant time. The duration therefore reveals neither the length of the secret nor
 * the first different character.
 */
function isSame(given: string, known: string): boolean {
  const [a, b] = [given, known].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
