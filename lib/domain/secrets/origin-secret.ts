import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

/**
 * The header by which the API knows its own distribution. CloudFront sets it over whatever a viewer sent; who calls the
 * API's own URL, past the firewall, has not got it.
 */
export const originHeader = 'x-sluice-origin';

/**
 * CloudFront sends `current`; all three are accepted. What it will send next was made a rotation ahead, so everyone who
 * checks has long read it, and what it sent before is accepted while its edges change over: nothing has to happen in time.
 */
export const originSecretSchema = z.object({
  previous: z.string().min(32).optional(),
  current: z.string().min(32),
  /** Absent until the first rotation, which makes it and changes nothing else. */
  next: z.string().min(32).optional(),
});
export type OriginSecret = z.infer<typeof originSecretSchema>;

export function comesFromDistribution(given: string | undefined, { previous, current, next }: OriginSecret): boolean {
  return given !== undefined && [previous, current, next].some((known) => known !== undefined && isSame(given, known));
}

export function rotateOriginSecret({ current, next }: OriginSecret, fresh: string): OriginSecret {
  return next === undefined ? { current, next: fresh } : { previous: current, current: next, next: fresh };
}

/** Of digests, so that neither lengths nor first differences show in the time it takes. */
function isSame(given: string, known: string): boolean {
  const [a, b] = [given, known].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
