import * as z from 'zod';
import { limits } from '../domain/limits.ts';

/**
 * The query parameters of every list. Unknown parameters are refused, because a misspelled filter would otherwise
 * return all items.
 */
export const listQuerySchema = z.strictObject({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, `must be a number from 1 to ${limits.listPageMax}`)
    .transform(Number)
    .pipe(z.int().max(limits.listPageMax, `must be a number from 1 to ${limits.listPageMax}`))
    .default(limits.listPageMax),
  cursor: z.string().max(2048).optional(),
});
