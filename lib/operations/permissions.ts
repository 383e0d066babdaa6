import * as z from 'zod';

/** The id of an operation: a string, so that a client knows what to do with those that are added. */
export const permissionSchema = z.string();

/** The ids of operations that the caller may carry out on the thing in question. */
export const permissionsSchema = z.array(permissionSchema);
