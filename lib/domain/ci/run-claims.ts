import * as z from 'zod';

/** CI systems write their ids as text or as a number. */
export const numericId = z.union([z.string(), z.int().transform(String)]).optional();
