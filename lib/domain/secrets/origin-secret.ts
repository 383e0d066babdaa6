import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

/** The header that proves that a request came through CloudFront, and so through the firewall. */
export const originHeader = 'x-sluice-origin';

/** The versions of the secret: CloudFront sends `current`, and the API accepts all. `next` is known long before use. */
export const originSecretSchema = z.object({
  previous: z.string().min(32).optional(),
  current: z.string().min(32),
  /** Absent until the first rotation, which creates it and changes no other version. */
  next: z.string().min(32).optional(),
});
export type OriginSecret = z.infer<typeof originSecretSchema>;

export function comesFromDistribution(given: string | undefined, { previous, current, next }: OriginSecret): boolean {
  return given !== undefined && [previous, current, next].some((known) => known !== undefined && isSame(given, known));
}

export function rotateOriginSecret({ current, next }: OriginSecret, fresh: string): OriginSecret {
  return next === undefined ? { current, next: fresh } : { previous: current, current: next, next: fresh };
}

/** Compares digests, so that the duration reveals neither the length nor the position of the first difference. */
function isSame(given: string, known: string): boolean {
  const [a, b] = [given, known].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
